// Numbers as a screen shows them: short, and easy to compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace h2park::cmd {

enum class NumberStyle : std::uint8_t {
  kCount,    ///< "5,000", "12.5"
  kRate,     ///< "0", "0.3", "12.5", "1,234"
  kSize,     ///< "219 B", "23.4 MiB"
  kPercent,  ///< of 1: "12.5 %"
};

/// "-" for nullopt.
std::string number_text(std::optional<double> number, NumberStyle style);
/// "12s", "3m 12s"
std::string time_span_text(double seconds);
/// "1,234,567"
std::string with_commas(std::uint64_t number);

}  // namespace h2park::cmd
