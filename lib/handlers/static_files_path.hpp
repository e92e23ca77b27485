// From a request's path to a path below the root.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// What a request's path asks for.
struct FilePath {
  std::string below_root;  ///< "a/b.html"; "a/index.html" if the request's path ends with '/'
  bool is_directory = false;
};

/// Why a path is refused, as the status to answer with: 400 or 404.
using PathRefusal = unsigned;

/// Decodes segment by segment. Refused: bad encoding and NUL (400); a segment that begins with '.', so ".."
/// and dot files; an empty one before the end; an encoded '/' or any '\' (404). Requires: `path` begins with
/// '/'.
std::expected<FilePath, PathRefusal> file_path_of(std::string_view path);

}  // namespace h2park::handlers
