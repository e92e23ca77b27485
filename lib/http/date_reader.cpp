#include "http/date_reader.hpp"

#include <array>

namespace h2park::http {
namespace {

using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

// Reads a date from left to right; once something did not match, nothing does.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  void expect(std::string_view word) {
    ok_ = ok_ && rest_.starts_with(word);
    if (ok_) rest_.remove_prefix(word.size());
  }
  int digits(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i) {
      ok_ = ok_ && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
      if (!ok_) return 0;
      value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  /// asctime pads the day with a space.
  int padded_day() {
    if (!rest_.starts_with(' ')) return digits(2);
    rest_.remove_prefix(1);
    return digits(1);
  }
  unsigned month() {
    for (unsigned i = 0; i < kMonths.size(); ++i) {
      if (!rest_.starts_with(kMonths[i])) continue;
      rest_.remove_prefix(3);
      return i + 1;
    }
    ok_ = false;
    return 0;
  }
  /// A day's name, whole or its first three letters. False: none is here.
  bool day(bool whole) {
    for (const std::string_view name : kDays) {
      const std::string_view word = whole ? name : name.substr(0, 3);
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return true;
    }
    return false;
  }
  std::chrono::seconds time() {
    const int hour = digits(2);
    expect(":");
    const int minute = digits(2);
    expect(":");
    const int second = digits(2);
    // 60 is a leap second.
    ok_ = ok_ && hour < 24 && minute < 60 && second <= 60;
    return std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::optional<sys_seconds> join(const Scanner& scanner, int year, unsigned month, int day,
                                std::chrono::seconds time) {
  if (!scanner.at_end()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + time;
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<sys_seconds> parse_fixdate(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.day(false)) return std::nullopt;
  scanner.expect(", ");
  const int day = scanner.digits(2);
  scanner.expect(" ");
  const unsigned month = scanner.month();
  scanner.expect(" ");
  const int year = scanner.digits(4);
  scanner.expect(" ");
  const auto time = scanner.time();
  scanner.expect(" GMT");
  return join(scanner, year, month, day, time);
}

// "Sunday, 06-Nov-94 08:49:37 GMT"
std::optional<sys_seconds> parse_rfc850(std::string_view text, std::chrono::system_clock::time_point now) {
  Scanner scanner(text);
  if (!scanner.day(true)) return std::nullopt;
  scanner.expect(", ");
  const int day = scanner.digits(2);
  scanner.expect("-");
  const unsigned month = scanner.month();
  scanner.expect("-");
  const int short_year = scanner.digits(2);
  scanner.expect(" ");
  const auto time = scanner.time();
  scanner.expect(" GMT");
  const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
  const int this_year = static_cast<int>(today.year());
  int year = this_year - this_year % 100 + short_year;
  if (year > this_year + 50) year -= 100;
  return join(scanner, year, month, day, time);
}

// "Sun Nov  6 08:49:37 1994"
std::optional<sys_seconds> parse_asctime(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.day(false)) return std::nullopt;
  scanner.expect(" ");
  const unsigned month = scanner.month();
  scanner.expect(" ");
  const int day = scanner.padded_day();
  scanner.expect(" ");
  const auto time = scanner.time();
  scanner.expect(" ");
  const int year = scanner.digits(4);
  return join(scanner, year, month, day, time);
}

}  // namespace

std::optional<sys_seconds> parse_date(std::string_view text, std::chrono::system_clock::time_point now) {
  if (const auto date = parse_fixdate(text)) return date;
  if (const auto date = parse_rfc850(text, now)) return date;
  return parse_asctime(text);
}

}  // namespace h2park::http
