// Paths as segments.
#pragma once

#include <algorithm>
#include <string_view>

namespace h2park::handlers {

/// Takes the first segment off `path`: "/a/b" gives "a" and leaves "/b"; "/" gives "" and leaves "".
/// No normalisation: "//", "." and ".." are segments like any other. Percent-encoding is untouched: decode
/// the segment, never the path before it is split, so that an encoded '/' stays inside. Requires: `path`
/// begins with '/'.
inline std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, std::min(path.find('/'), path.size()));
  path.remove_prefix(segment.size());
  return segment;
}

}  // namespace h2park::handlers
