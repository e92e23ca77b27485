// Dates as peers send them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace h2park::http {

/// Reads the three forms of RFC 9110 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"
/// and "Sun Nov  6 08:49:37 1994". A two-digit year that would be more than 50 years after `now` is the
/// century before. Nothing if it is none of them; the day's name is not compared with the date.
std::optional<std::chrono::sys_seconds> parse_date(std::string_view text,
                                                   std::chrono::system_clock::time_point now);

}  // namespace h2park::http
