#include "handlers/access_log_entry.hpp"

#include "handlers/route_json.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace h2park::handlers {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

void append_number(std::string& to, std::uint64_t value) {
  char text[20];
  to.append(text, std::to_chars(text, std::end(text), value).ptr);
}

// With leading zeros.
void append_padded(std::string& to, std::uint64_t value, std::size_t digits) {
  to.append(digits, '0');
  for (auto at = to.rbegin(); digits > 0; --digits, ++at, value /= 10)
    *at = static_cast<char>('0' + value % 10);
}

// What every line of a second has in common, rendered once per second and thread.
struct SecondText {
  std::int64_t second = -1;
  std::string log_form;   // "15/Jan/2027:08:00:00"
  std::string json_form;  // "2027-01-15T08:00:00"
};

void render(SecondText& text, std::chrono::sys_seconds when) {
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(when - day);
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  const auto month = static_cast<unsigned>(date.month());
  std::string time;
  append_padded(time, static_cast<unsigned>(clock.hours().count()), 2);
  append_padded(time += ':', static_cast<unsigned>(clock.minutes().count()), 2);
  append_padded(time += ':', static_cast<unsigned>(clock.seconds().count()), 2);
  text.log_form.clear();
  append_padded(text.log_form, static_cast<unsigned>(date.day()), 2);
  text.log_form.append("/").append(kMonths.substr(3 * (month - 1), 3)).append("/");
  append_padded(text.log_form, year, 4);
  text.log_form.append(":").append(time);
  text.json_form.clear();
  append_padded(text.json_form, year, 4);
  append_padded(text.json_form += '-', month, 2);
  append_padded(text.json_form += '-', static_cast<unsigned>(date.day()), 2);
  text.json_form.append("T").append(time);
  text.second = when.time_since_epoch().count();
}

const SecondText& second_text(std::chrono::system_clock::time_point time) {
  thread_local SecondText text;
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  if (text.second != second.time_since_epoch().count()) render(text, second);
  return text;
}

void append_milliseconds(std::string& to, std::chrono::system_clock::time_point time) {
  const auto part = time - std::chrono::floor<std::chrono::seconds>(time);
  to += '.';
  append_padded(to, static_cast<std::uint64_t>(duration_cast<milliseconds>(part).count()), 3);
}

void append_seconds(std::string& to, std::chrono::nanoseconds duration) {
  const auto micros = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, duration_cast<std::chrono::microseconds>(duration).count()));
  append_number(to, micros / 1'000'000);
  append_padded(to += '.', micros % 1'000'000, 6);
}

void append_member(std::string& to, std::string_view name, std::string_view value) {
  to.append(",\"").append(name).append("\":");
  append_json_string(to, value);
}

}  // namespace

void append_escaped(std::string& to, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      to += "\\x";
      to += kDigits[byte >> 4];
      to += kDigits[byte & 15];
    } else {
      to += c;
    }
  }
}

void append_text_line(std::string& to, const AccessLogEntry& entry) {
  append_escaped(to, entry.peer);
  to.append(" - - [").append(second_text(entry.time).log_form);
  append_milliseconds(to, entry.time);
  to += " +0000] \"";
  append_escaped(to, entry.method);
  append_escaped(to += ' ', entry.target);
  to.append(" ").append(entry.protocol).append("\" ");
  append_padded(to, entry.status, 3);
  append_number(to += ' ', entry.bytes);
  append_seconds(to += ' ', entry.duration);
  to += entry.complete ? " ok " : " gone ";
  append_escaped(to, entry.request_id);
  append_number(to += " conn=", entry.connection);
  append_number(to += " req=", entry.number);
  to += '\n';
}

void append_json_line(std::string& to, const AccessLogEntry& entry) {
  to.append("{\"time\":\"").append(second_text(entry.time).json_form);
  append_milliseconds(to, entry.time);
  to += "Z\"";
  append_member(to, "peer", entry.peer);
  append_member(to, "method", entry.method);
  append_member(to, "target", entry.target);
  append_member(to, "authority", entry.authority);
  append_member(to, "protocol", entry.protocol);
  append_member(to, "route", entry.route);
  append_number(to += ",\"status\":", entry.status);
  append_number(to += ",\"bytes\":", entry.bytes);
  append_seconds(to += ",\"duration_s\":", entry.duration);
  to += entry.complete ? ",\"complete\":true" : ",\"complete\":false";
  append_member(to, "request_id", entry.request_id);
  append_number(to += ",\"connection\":", entry.connection);
  append_number(to += ",\"request\":", entry.number);
  to += "}\n";
}

}  // namespace h2park::handlers
