#include "base/units.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <ranges>
#include <span>

namespace h2park {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t value;
};

// From large to small: a duration's pairs are in this order.
constexpr std::array<Unit, 6> kTimeUnits{{{"h", 3'600'000'000'000},
                                          {"m", 60'000'000'000},
                                          {"s", 1'000'000'000},
                                          {"ms", 1'000'000},
                                          {"us", 1'000},
                                          {"ns", 1}}};

constexpr std::uint64_t kKi = 1024;
constexpr std::array<Unit, 14> kSizeUnits{{{"", 1},
                                           {"b", 1},
                                           {"k", kKi},
                                           {"kib", kKi},
                                           {"kb", 1'000},
                                           {"m", kKi* kKi},
                                           {"mib", kKi* kKi},
                                           {"mb", 1'000'000},
                                           {"g", kKi* kKi* kKi},
                                           {"gib", kKi* kKi* kKi},
                                           {"gb", 1'000'000'000},
                                           {"t", kKi* kKi* kKi* kKi},
                                           {"tib", kKi* kKi* kKi* kKi},
                                           {"tb", 1'000'000'000'000}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

/// The digits and letters of one NUMBER UNIT pair.
struct Piece {
  std::string_view whole;
  std::string_view fraction;
  std::string_view unit;
};

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
  std::size_t length = 0;
  while (length < text.size() && wanted(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

/// Takes one pair off the front of `text`; nullopt if it does not begin with one.
std::optional<Piece> take_piece(std::string_view& text) {
  Piece piece;
  piece.whole = take_while(text, is_digit);
  if (piece.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    piece.fraction = take_while(text, is_digit);
    if (piece.fraction.empty()) return std::nullopt;
  }
  piece.unit = take_while(text, [](char c) { return lower(c) >= 'a' && lower(c) <= 'z'; });
  return piece;
}

/// whole.fraction * unit, rounded down; nullopt if it does not fit into `most`.
std::optional<std::uint64_t> multiply(const Piece& piece, std::uint64_t unit, std::uint64_t most) {
  std::uint64_t result = 0;
  const auto parsed = std::from_chars(piece.whole.data(), piece.whole.data() + piece.whole.size(), result);
  if (parsed.ec != std::errc{}) return std::nullopt;
  if (__builtin_mul_overflow(result, unit, &result)) return std::nullopt;
  // Horner from the last digit. Cutting off in every step is exact: floor((n + y) / 10) = floor((n +
  // floor(y)) / 10).
  std::uint64_t part = 0;
  for (const char digit : piece.fraction | std::views::reverse) {
    part = (static_cast<std::uint64_t>(digit - '0') * unit + part) / 10;
  }
  if (__builtin_add_overflow(result, part, &result)) return std::nullopt;
  return result <= most ? std::optional(result) : std::nullopt;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  const auto wrong = [text] { return usage_error(quoted(text) + " is not a duration (try 50ms, 30s, 3m)"); };
  constexpr std::uint64_t kMost = std::numeric_limits<Duration::rep>::max();

  std::uint64_t total = 0;
  std::span<const Unit> allowed = kTimeUnits;
  std::string_view rest = text;
  do {
    const std::optional<Piece> piece = take_piece(rest);
    const Unit* unit = piece ? find_unit(allowed, piece->unit) : nullptr;
    if (unit == nullptr) return wrong();
    const std::optional<std::uint64_t> value = multiply(*piece, unit->value, kMost - total);
    if (!value) return usage_error(quoted(text) + " is too long");
    total += *value;
    allowed = allowed.subspan(static_cast<std::size_t>(unit - allowed.data()) + 1);
  } while (!rest.empty());
  return Duration(static_cast<Duration::rep>(total));
}

std::string format_duration(Duration duration) {
  auto left = static_cast<std::uint64_t>(std::chrono::nanoseconds(duration).count());
  if (left == 0) return "0";
  std::string text;
  for (const Unit& unit : kTimeUnits) {
    const bool last = left % unit.value == 0;
    const std::uint64_t count = left / unit.value;
    if (count > 0) {
      text += std::to_string(count);
      left %= unit.value;
      // "1.5s", not "1s500ms"; below a second the next unit is written instead of a fraction.
      if (unit.name == "s" && !last) {
        std::string fraction = std::to_string(unit.value + left).substr(1);
        fraction.erase(fraction.find_last_not_of('0') + 1);
        text += "." + fraction;
        left = 0;
      }
      text += unit.name;
    }
    if (left == 0) break;
  }
  return text;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  std::string_view rest = text;
  std::optional<Piece> piece = take_piece(rest);
  const auto wrong = [text] { return usage_error(quoted(text) + " is not a size (try 100, 64KiB, 1MiB)"); };
  if (!piece || !rest.empty()) return wrong();

  std::string name;
  for (const char c : piece->unit) name += lower(c);
  const Unit* unit = find_unit(kSizeUnits, name);
  if (unit == nullptr || (unit->value == 1 && !piece->fraction.empty())) return wrong();
  const auto bytes = multiply(*piece, unit->value, std::numeric_limits<std::uint64_t>::max());
  if (!bytes) return usage_error(quoted(text) + " is too large");
  return *bytes;
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kNames{"", "KiB", "MiB", "GiB", "TiB"};
  std::size_t power = 0;
  while (bytes != 0 && bytes % kKi == 0 && power + 1 < kNames.size()) {
    bytes /= kKi;
    ++power;
  }
  return std::to_string(bytes) + std::string(kNames[power]);
}

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != text.data() + text.size()) {
    return usage_error(quoted(text) + " is not a whole number");
  }
  if (parsed.ec != std::errc{} || value > most) {
    return usage_error(quoted(text) + " is too large (at most " + std::to_string(most) + ")");
  }
  if (value < least)
    return usage_error(quoted(text) + " is too small (at least " + std::to_string(least) + ")");
  return value;
}

}  // namespace h2park
