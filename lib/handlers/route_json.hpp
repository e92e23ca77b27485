// JSON strings from bytes that a client chose.
#pragma once

#include <string>
#include <string_view>

namespace h2park::handlers {

/// Appends `text` as a JSON string, quotes included (RFC 8259 7). What is not UTF-8 becomes U+FFFD, one per
/// maximal invalid piece, so that the result is valid JSON whatever came in. DEL and C1 controls are escaped
/// as well: the line may be read on a terminal.
void append_json_string(std::string& to, std::string_view text);

}  // namespace h2park::handlers
