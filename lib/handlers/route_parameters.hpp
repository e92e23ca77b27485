// What a route's parameters mean: numbers, sizes and durations, each within limits.
//
// Errors: a line for the client, "n: ..." with the reason. Every limit is there so that a product or a sum of
// parameters cannot overflow and nothing is allocated that a client chose the size of.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// Where a parameter stands. A path parameter is always there; one of the query may be missing or empty.
enum class From : std::uint8_t { kPath, kQuery };

/// A size with a unit ("64KiB"), from `least` to `most`. `otherwise`: when the query has none.
Result<std::uint64_t> size_parameter(const http::Request& request, From from, std::string_view name,
                                     std::uint64_t least, std::uint64_t most, std::uint64_t otherwise = 0);
/// A whole number.
Result<std::uint64_t> count_parameter(const http::Request& request, From from, std::string_view name,
                                      std::uint64_t least, std::uint64_t most, std::uint64_t otherwise = 0);
/// A duration with a unit ("1m30s"), or a whole number of milliseconds.
Result<Duration> duration_parameter(const http::Request& request, From from, std::string_view name,
                                    Duration least, Duration most, Duration otherwise = Duration::zero());

}  // namespace h2park::handlers
