// The files of a directory, for GET and HEAD.
//
// 1. The path's segments are decoded; a dot file, an empty segment in the middle, NUL, '\' or an encoded '/'
//    is refused before anything is opened.
// 2. The file is opened below the root by a resolver that no symbolic link and no ".." leads out of.
// 3. A directory is answered with its index.html; without the slash at its end, with a redirect to it.
// 4. Preconditions (RFC 9110 13), then a range (14), then the file, read as the peer takes it.
#pragma once

#include "base/error.hpp"
#include "handlers/static_files_root.hpp"
#include "http/handler.hpp"

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// Thread: operator() from any thread at once.
class StaticFiles {
 public:
  /// Errors: `root` is missing or not a directory; one line.
  static Result<StaticFiles> open(const std::string& root);
  explicit StaticFiles(FileRoot root) : root_(std::move(root)) {}

  Task<> operator()(http::Request& request, http::Responder& response) const;

 private:
  Task<> answer_path(http::Request& request, http::Responder& response) const;

  FileRoot root_;
};

}  // namespace h2park::handlers
