// The content type of a file, by the end of its name.
#pragma once

#include <string_view>

namespace h2park::handlers {

/// "text/html; charset=utf-8" for "a/index.HTML"; "application/octet-stream" for what is not known.
/// Text is taken to be UTF-8.
std::string_view content_type_of(std::string_view file_name);

}  // namespace h2park::handlers
