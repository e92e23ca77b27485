#include "handlers/static_files_range.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace h2park::handlers {
namespace {

// Only digits; what is too large for 64 bits is beyond every file.
std::optional<std::uint64_t> parse_position(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) return std::numeric_limits<std::uint64_t>::max();
  return value;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

ByteRange suffix(std::uint64_t bytes, std::uint64_t size) {
  if (bytes == 0) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  // The last bytes of nothing: satisfiable, but no content-range can say so.
  if (size == 0) return {};
  const std::uint64_t taken = std::min(bytes, size);
  return {ByteRange::Kind::kPart, size - taken, taken};
}

bool is_bytes(std::string_view unit) {
  return std::ranges::equal(unit, std::string_view("bytes"), [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

ByteRange parse_range(std::string_view text, std::uint64_t size) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || !is_bytes(text.substr(0, equals))) return {};
  const std::string_view spec = trim(text.substr(equals + 1));
  const auto dash = spec.find('-');
  if (dash == std::string_view::npos) return {};
  const auto last = parse_position(spec.substr(dash + 1));
  if (dash == 0) return last ? suffix(*last, size) : ByteRange{};
  const auto first = parse_position(spec.substr(0, dash));
  const bool open_ended = dash + 1 == spec.size();
  if (!first || (!last && !open_ended) || (last && *last < *first)) return {};
  if (*first >= size) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  const std::uint64_t end = open_ended ? size - 1 : std::min(*last, size - 1);
  return {ByteRange::Kind::kPart, *first, end - *first + 1};
}

}  // namespace h2park::handlers
