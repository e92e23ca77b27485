#include "client/cookie_date.hpp"

#include <algorithm>
#include <array>

namespace h2park::client {
namespace {

constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_delimiter(char c) {
  return c == '\t' || (c >= ' ' && c <= '/') || (c >= ';' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Takes `least` to `most` digits off the front. Nothing if there are fewer, or more.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  const auto count = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  if (count < least || count > most) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) value = value * 10 + (c - '0');
  text.remove_prefix(count);
  return value;
}

std::optional<std::chrono::seconds> read_time(std::string_view token) {
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      if (!token.starts_with(':')) return std::nullopt;
      token.remove_prefix(1);
    }
    const auto part = take_digits(token, 1, 2);
    if (!part) return std::nullopt;
    parts[i] = *part;
  }
  if (parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return std::chrono::hours(parts[0]) + std::chrono::minutes(parts[1]) + std::chrono::seconds(parts[2]);
}

std::optional<unsigned> read_month(std::string_view token) {
  if (token.size() < 3) return std::nullopt;
  std::array<char, 3> name{};
  std::ranges::transform(token.substr(0, 3), name.begin(),
                         [](char c) { return static_cast<char>(c | 0x20); });
  const auto at = kMonths.find(std::string_view(name.data(), name.size()));
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<unsigned>(at / 3 + 1);
}

std::optional<int> read_year(std::string_view token) {
  const auto year = take_digits(token, 2, 4);
  if (!year) return std::nullopt;
  if (*year >= 70 && *year <= 99) return *year + 1900;
  return *year <= 69 ? *year + 2000 : *year;
}

struct Parts {
  std::optional<std::chrono::seconds> time;
  std::optional<int> day;
  std::optional<unsigned> month;
  std::optional<int> year;

  // A token is the first of these that it can be and that is not found yet.
  void read(std::string_view token) {
    if (!time && (time = read_time(token))) return;
    std::string_view rest = token;
    if (!day && (day = take_digits(rest, 1, 2))) return;
    if (!month && (month = read_month(token))) return;
    if (!year) year = read_year(token);
  }
};

}  // namespace

std::optional<std::chrono::sys_seconds> parse_cookie_date(std::string_view text) {
  Parts parts;
  while (!text.empty()) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if(text, is_delimiter) - text.begin());
    if (end > 0) parts.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!parts.time || !parts.day || !parts.month || !parts.year || *parts.year < 1601) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*parts.year), std::chrono::month(*parts.month),
                                         std::chrono::day(static_cast<unsigned>(*parts.day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + *parts.time;
}

}  // namespace h2park::client
