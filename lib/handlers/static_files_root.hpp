// A directory that nothing outside of can be opened through.
#pragma once

#include "base/error.hpp"
#include "net/unique_fd.hpp"

#include <expected>
#include <string>

namespace h2park::handlers {

/// Thread: constant after construction.
class FileRoot {
 public:
  /// How a path is kept below the root.
  enum class Resolver : std::uint8_t {
    kKernel,  ///< openat2(RESOLVE_BENEATH): symbolic links that stay inside are followed
    kWalk,    ///< segment by segment with O_NOFOLLOW: no symbolic links at all. Where openat2 is missing or
              ///< forbidden.
  };

  /// Errors: one line naming the directory.
  static Result<FileRoot> open(const std::string& path);
  static Result<FileRoot> open(const std::string& path, Resolver resolver);

  /// Opens "a/b/c" for reading, without waiting (a FIFO has no writer yet), as the error of openat(2)
  /// otherwise. EXDEV, ELOOP: the path would leave the root. Requires: no empty, "." or ".." segments, no
  /// NUL.
  std::expected<net::UniqueFd, int> open_below(const std::string& path) const;
  Resolver resolver() const { return resolver_; }

 private:
  FileRoot(net::UniqueFd directory, Resolver resolver)
      : directory_(std::move(directory)), resolver_(resolver) {}
  std::expected<net::UniqueFd, int> open_by_kernel(const std::string& path) const;
  std::expected<net::UniqueFd, int> open_by_walk(std::string_view path) const;

  net::UniqueFd directory_;
  Resolver resolver_;
};

}  // namespace h2park::handlers
