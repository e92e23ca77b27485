// Percent-encoding (RFC 3986 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace h2park::http {

/// Nothing if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// True if every '%' of `text` begins a valid triplet.
bool percent_encoding_is_valid(std::string_view text);

}  // namespace h2park::http
