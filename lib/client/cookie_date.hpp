// Dates in Set-Cookie, which are written in more ways than HTTP's others.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace h2park::client {

/// By the algorithm of RFC 6265 5.1.1: a time, a day, a month and a year anywhere in `text`. Nothing if one
/// is missing or out of its range, or there is no such day.
std::optional<std::chrono::sys_seconds> parse_cookie_date(std::string_view text);

}  // namespace h2park::client
