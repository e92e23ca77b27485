#include "cmd/stat_numbers.hpp"

#include "stats/text.hpp"

#include <algorithm>
#include <cmath>

namespace h2park::cmd {
namespace {

// From here on a digit behind the point tells nothing.
constexpr double kNoDecimals = 100;

/// One decimal below kNoDecimals, unless it is a whole number.
std::string short_number(double number) {
  const double tenths = std::round(number * 10);
  if (number >= kNoDecimals || std::fmod(tenths, 10) == 0) {
    return with_commas(static_cast<std::uint64_t>(std::llround(number)));
  }
  const auto whole = static_cast<std::uint64_t>(tenths);
  return std::to_string(whole / 10) + "." + std::to_string(whole % 10);
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string number_text(std::optional<double> number, NumberStyle style) {
  constexpr double kMost = 9e18;  // what a std::uint64_t holds, with room for rounding
  if (!number || !std::isfinite(*number)) return "-";
  const double value = std::clamp(*number, 0.0, kMost);
  if (style == NumberStyle::kPercent) return short_number(value * 100) + " %";
  if (style != NumberStyle::kSize) {
    // A slow rate is not none.
    if (style == NumberStyle::kRate && value > 0 && value < 0.05) return "<0.1";
    return short_number(value);
  }
  const auto bytes = static_cast<std::uint64_t>(std::llround(value));
  const std::string rounded = stats::rounded_size(bytes);
  return rounded.empty() ? std::to_string(bytes) + " B" : rounded;
}

std::string time_span_text(double seconds) {
  const std::string rounded = stats::rounded_time(seconds);
  if (!rounded.empty()) return rounded;
  return std::to_string(static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 60.0))) + "s";
}

}  // namespace h2park::cmd
