#include "cmd/get_json.hpp"

#include "handlers/route_json.hpp"

#include <spdlog/fmt/fmt.h>

#include <iterator>

namespace h2park::cmd {
namespace {

using handlers::append_json_string;

void append_number(std::string& to, std::uint64_t number) {
  const fmt::format_int text(number);
  to.append(text.data(), text.size());
}

void append_timings(std::string& to, const client::Timings& timings) {
  to += ",\"timings\":{";
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    to.append(i == 0 ? "\"" : ",\"").append(to_string(phase)).append("\":");
    append_milliseconds(to, length_of(phase, timings));
  }
  to += '}';
}

void append_connection(std::string& to, const client::ConnectionFacts& connection) {
  to += ",\"connection\":{\"id\":";
  append_number(to, connection.id);
  to += connection.reused ? ",\"reused\":true,\"idle_ms\":" : ",\"reused\":false,\"idle_ms\":";
  if (connection.reused) {
    append_milliseconds(to, connection.idle);
  } else {
    to += "null";
  }
  append_number(to += ",\"requests\":", connection.requests);
  const std::string_view miss = to_string(connection.miss);
  to += ",\"miss_reason\":";
  if (miss.empty()) {
    to += "null}";
  } else {
    to.append("\"").append(miss).append("\"}");
  }
}

void append_drain(std::string& to, const client::DrainFacts& drain) {
  to += ",\"drain\":{\"result\":";
  if (drain.result == client::DrainResult::kNone) {
    to += "null";
  } else {
    to.append("\"").append(drain_text(drain)).append("\"");
  }
  append_number(to += ",\"bytes\":", drain.bytes);
  append_milliseconds(to += ",\"ms\":", drain.time);
  to += '}';
}

void append_fault(std::string& to, const std::optional<Fault>& fault) {
  to += ",\"error\":";
  if (!fault) {
    to += "null";
    return;
  }
  to.append("{\"cause\":\"").append(fault->cause).append("\",\"exit_code\":");
  fmt::format_to(std::back_inserter(to), "{}", fault->exit_code);
  append_json_string(to += ",\"message\":", fault->message);
  to += '}';
}

}  // namespace

void append_milliseconds(std::string& to, Duration duration) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  append_number(to, static_cast<std::uint64_t>(micros) / 1000);
  const auto rest = static_cast<unsigned>(static_cast<std::uint64_t>(micros) % 1000);
  to += '.';
  to += static_cast<char>('0' + rest / 100);
  to += static_cast<char>('0' + rest / 10 % 10);
  to += static_cast<char>('0' + rest % 10);
}

void append_json_line(std::string& to, const Outcome& outcome) {
  const client::Record& record = outcome.record;
  append_json_string(to += "{\"url\":", record.url.empty() ? outcome.written : std::string_view(record.url));
  append_json_string(to += ",\"method\":", record.method);
  append_number(to += ",\"status\":", record.status);
  to += ",\"protocol\":";
  if (record.status == 0) {
    to += "null";
  } else {
    append_json_string(to, http::to_string(record.version));
  }
  append_number(to += ",\"bytes\":", record.body_bytes);
  append_timings(to, record.timings);
  append_connection(to, record.connection);
  append_drain(to, record.drain);
  append_fault(to, outcome.fault);
  to += "}\n";
}

}  // namespace h2park::cmd
