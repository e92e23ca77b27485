// One line of the access log, as text or as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// What is logged of an exchange. Lifetime: views of the exchange's, for the call only.
struct AccessLogEntry {
  std::chrono::system_clock::time_point time;  ///< when the line is written: the exchange is over
  std::string_view peer;
  std::string_view method;
  std::string_view target;
  std::string_view authority;
  std::string_view protocol;
  std::string_view route;
  std::string_view request_id;
  unsigned status = 0;      ///< 0: no head was sent
  std::uint64_t bytes = 0;  ///< of the response's body
  std::chrono::nanoseconds duration{};
  std::uint64_t connection = 0;
  std::uint32_t number = 0;  ///< of the request on its connection
  bool complete = true;      ///< false: the client went away, or the stream was reset, before the end
};

/// Appends one line, line feed included:
///   127.0.0.1:4711 - - [03/Jan/2026:10:00:00.123 +0000] "GET /hello HTTP/2" 200 6 0.000123 ok ID conn=7
///   req=1
/// (the Common Log Format's shape; time is UTC, duration in seconds, then "ok" or "gone").
/// Everything that comes from a client is escaped: it cannot end the line, close a quote or colour a
/// terminal.
void append_text_line(std::string& to, const AccessLogEntry& entry);

/// Appends one JSON object and a line feed.
void append_json_line(std::string& to, const AccessLogEntry& entry);

/// Appends `text` with '"', '\\', control characters and bytes from 0x7f as \xHH ('"' and '\\' as themselves
/// after a backslash).
void append_escaped(std::string& to, std::string_view text);

}  // namespace h2park::handlers
