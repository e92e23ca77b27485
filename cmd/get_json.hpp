// One request as a JSON object on a line: --output-format json.
#pragma once

#include "cmd/get_outcome.hpp"

#include <string>

namespace h2park::cmd {

/// Appends the object and a line feed. What a server sent may be any bytes; what is no UTF-8 in it becomes
/// U+FFFD. Fast enough for a million of them: no tree is made.
void append_json_line(std::string& to, const Outcome& outcome);

/// Milliseconds with microseconds as decimals: "12.345".
void append_milliseconds(std::string& to, Duration duration);

}  // namespace h2park::cmd
