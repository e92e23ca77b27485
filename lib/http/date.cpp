#include "http/date.hpp"

#include <array>
#include <cstdint>

namespace h2park::http {
namespace {

constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kShape = "Sun, 06 Nov 1994 08:49:37 GMT";

struct ThreadDate {
  std::int64_t second = -1;
  std::array<char, kShape.size()> text;
};
thread_local ThreadDate cached;

void put_digits(char* where, unsigned value, int digits) {
  for (char* at = where + digits; at != where; value /= 10) *--at = static_cast<char>('0' + value % 10);
}

void render(std::chrono::sys_seconds when, char* text) {
  using namespace std::chrono;
  const auto day = floor<days>(when);
  const year_month_day date(day);
  const hh_mm_ss time(when - day);
  kShape.copy(text, kShape.size());
  kDays.copy(text, 3, 3 * weekday(day).c_encoding());
  kMonths.copy(text + 8, 3, 3 * (static_cast<unsigned>(date.month()) - 1));
  put_digits(text + 5, static_cast<unsigned>(date.day()), 2);
  put_digits(text + 12, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  put_digits(text + 17, static_cast<unsigned>(time.hours().count()), 2);
  put_digits(text + 20, static_cast<unsigned>(time.minutes().count()), 2);
  put_digits(text + 23, static_cast<unsigned>(time.seconds().count()), 2);
}

}  // namespace

std::string_view date_text(std::chrono::system_clock::time_point when) {
  const auto second = std::chrono::floor<std::chrono::seconds>(when);
  if (cached.second != second.time_since_epoch().count()) {
    render(second, cached.text.data());
    cached.second = second.time_since_epoch().count();
  }
  return {cached.text.data(), cached.text.size()};
}

}  // namespace h2park::http
