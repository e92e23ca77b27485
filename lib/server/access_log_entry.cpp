#include "server/access_log_entry.hpp"

#include "server/route_json.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace h2park::server {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Stamp {
  std::tm utc{};
  int millisecond = 0;
};

Stamp stamp_of(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  Stamp stamp;
  const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
  gmtime_r(&seconds, &stamp.utc);
  stamp.millisecond = static_cast<int>(duration_cast<milliseconds>(time - whole).count());
  return stamp;
}

template <class... Args>
void append_format(std::string& to, const char* format, Args... args) {
  char text[128];
  const int bytes = std::snprintf(text, sizeof text, format, args...);
  if (bytes > 0) to.append(text, std::min(static_cast<std::size_t>(bytes), sizeof text - 1));
}

void append_seconds(std::string& to, std::chrono::nanoseconds duration) {
  const auto micros = duration_cast<std::chrono::microseconds>(duration).count();
  append_format(to, "%lld.%06lld", static_cast<long long>(micros / 1'000'000),
                static_cast<long long>(micros % 1'000'000));
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
  const Stamp at = stamp_of(entry.time);
  append_escaped(to, entry.peer);
  append_format(to, " - - [%02d/%s/%04d:%02d:%02d:%02d.%03d +0000] \"", at.utc.tm_mday,
                kMonths[static_cast<std::size_t>(at.utc.tm_mon)], at.utc.tm_year + 1900, at.utc.tm_hour,
                at.utc.tm_min, at.utc.tm_sec, at.millisecond);
  append_escaped(to, entry.method);
  to += ' ';
  append_escaped(to, entry.target);
  to.append(" ").append(entry.protocol);
  append_format(to, "\" %03u %llu ", entry.status, static_cast<unsigned long long>(entry.bytes));
  append_seconds(to, entry.duration);
  to += entry.complete ? " ok " : " gone ";
  append_escaped(to, entry.request_id);
  append_format(to, " conn=%llu req=%u\n", static_cast<unsigned long long>(entry.connection), entry.number);
}

void append_json_line(std::string& to, const AccessLogEntry& entry) {
  const Stamp at = stamp_of(entry.time);
  append_format(to, "{\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", at.utc.tm_year + 1900,
                at.utc.tm_mon + 1, at.utc.tm_mday, at.utc.tm_hour, at.utc.tm_min, at.utc.tm_sec,
                at.millisecond);
  append_member(to, "peer", entry.peer);
  append_member(to, "method", entry.method);
  append_member(to, "target", entry.target);
  append_member(to, "authority", entry.authority);
  append_member(to, "protocol", entry.protocol);
  append_member(to, "route", entry.route);
  append_format(to, ",\"status\":%u,\"bytes\":%llu,\"duration_s\":", entry.status,
                static_cast<unsigned long long>(entry.bytes));
  append_seconds(to, entry.duration);
  to += entry.complete ? ",\"complete\":true" : ",\"complete\":false";
  append_member(to, "request_id", entry.request_id);
  append_format(to, ",\"connection\":%llu,\"request\":%u}\n",
                static_cast<unsigned long long>(entry.connection), entry.number);
}

}  // namespace h2park::server
