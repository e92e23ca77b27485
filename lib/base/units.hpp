// Durations and sizes as people write them: "50ms", "1m30s", "64KiB".
//
// Errors: a usage error whose message begins with the quoted text and fits behind "--flag: " or "interval: ".
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace h2park {

/// One or more NUMBER UNIT pairs from large to small (h, m, s, ms, us, ns; each at most once), or "0". A
/// number may have a fraction ("1.5s"); what is below a nanosecond is cut off. No sign, no spaces, no number
/// without a unit.
Result<Duration> parse_duration(std::string_view text);

/// The shortest exact form that parse_duration() reads: "0", "50ms", "1.5s", "1m30s", "3m".
/// Requires: not negative.
std::string format_duration(Duration duration);

/// NUMBER and a unit in any case: none or B; KiB, MiB, GiB, TiB, or K, M, G, T for the same (powers of 1024);
/// KB, MB, GB, TB (powers of 1000). Except for bytes a number may have a fraction, rounded down to whole
/// bytes ("1.5MiB").
Result<std::uint64_t> parse_size(std::string_view text);

/// The shortest exact form with a power of 1024: "0", "100", "64KiB", "1536KiB".
std::string format_size(std::uint64_t bytes);

/// A whole decimal number from `least` to `most`.
Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most);

}  // namespace h2park
