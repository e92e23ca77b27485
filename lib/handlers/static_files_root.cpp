#include "handlers/static_files_root.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace h2park::handlers {
namespace {

constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
// The kernel gives up with EAGAIN when something was renamed meanwhile; it is not the client's fault.
constexpr int kRenameRetries = 16;

int open_beneath(int directory, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
}

// Old kernels answer ENOSYS, sandboxes EPERM.
FileRoot::Resolver best_resolver(int directory) {
  const net::UniqueFd probe(open_beneath(directory, ".", O_PATH | O_CLOEXEC));
  return probe ? FileRoot::Resolver::kKernel : FileRoot::Resolver::kWalk;
}

Result<net::UniqueFd> open_directory(const std::string& path) {
  net::UniqueFd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return system_failure("cannot serve files from " + path, errno);
  // O_PATH asks for no permission; serving will need it.
  if (::faccessat(directory.get(), ".", X_OK, AT_EACCESS) != 0) {
    return system_failure("cannot serve files from " + path, errno);
  }
  return directory;
}

}  // namespace

Result<FileRoot> FileRoot::open(const std::string& path) {
  auto directory = open_directory(path);
  if (!directory) return std::unexpected(directory.error());
  const Resolver resolver = best_resolver(directory->get());
  return FileRoot(std::move(*directory), resolver);
}

Result<FileRoot> FileRoot::open(const std::string& path, Resolver resolver) {
  auto directory = open_directory(path);
  if (!directory) return std::unexpected(directory.error());
  return FileRoot(std::move(*directory), resolver);
}

std::expected<net::UniqueFd, int> FileRoot::open_below(const std::string& path) const {
  return resolver_ == Resolver::kKernel ? open_by_kernel(path) : open_by_walk(path);
}

std::expected<net::UniqueFd, int> FileRoot::open_by_kernel(const std::string& path) const {
  for (int attempt = 0;; ++attempt) {
    net::UniqueFd file(open_beneath(directory_.get(), path.c_str(), kReadFlags));
    if (file) return file;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || attempt == kRenameRetries) return std::unexpected(errno);
  }
}

std::expected<net::UniqueFd, int> FileRoot::open_by_walk(std::string_view path) const {
  net::UniqueFd held;
  int at = directory_.get();
  while (true) {
    const auto slash = path.find('/');
    const bool last = slash == std::string_view::npos;
    const std::string segment(path.substr(0, slash));
    const int flags = last ? kReadFlags : O_PATH | O_DIRECTORY | O_CLOEXEC;
    net::UniqueFd next(::openat(at, segment.c_str(), flags | O_NOFOLLOW));
    if (!next) return std::unexpected(errno);
    if (last) return next;
    held = std::move(next);
    at = held.get();
    path.remove_prefix(slash + 1);
  }
}

}  // namespace h2park::handlers
