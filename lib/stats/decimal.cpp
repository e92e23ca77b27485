#include "stats/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace h2park::stats {

std::string decimal(double number) {
  std::array<char, 400> digits;  // a double in fixed notation has up to 309 before its point
  const auto result = std::to_chars(digits.begin(), digits.end(), number, std::chars_format::fixed);
  return {digits.data(), result.ptr};
}

std::string decimal(const Value& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return decimal(*real);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  return "-";
}

std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return out;
}

}  // namespace h2park::stats
