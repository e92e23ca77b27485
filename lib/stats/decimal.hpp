// Numbers as plain decimals: never with an exponent, as few digits as tell the number apart.
#pragma once

#include "stats/reading.hpp"

#include <string>
#include <string_view>

namespace h2park::stats {

std::string decimal(double number);
/// "-" for null, "on" and "off" for flags, control characters of a text as '?'.
std::string decimal(const Value& value);

/// Control characters as '?': what a server has sent must not reach a terminal.
std::string printable(std::string_view text);

}  // namespace h2park::stats
