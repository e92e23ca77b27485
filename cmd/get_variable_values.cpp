// The values of --write-out's variables.
#include "cmd/get_json.hpp"
#include "cmd/get_write_out.hpp"
#include "handlers/route_json.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <variant>

namespace h2park::cmd {
namespace {

using handlers::append_json_string;

struct None {};
struct Status {
  unsigned number;  // three digits in text
};
struct Seconds {
  Duration time;
};
struct Milliseconds {
  Duration time;
};
using Value = std::variant<None, std::string, std::uint64_t, Status, Seconds, Milliseconds>;

Value text_or_none(std::string_view text) { return text.empty() ? Value(None{}) : Value(std::string(text)); }

/// "127.0.0.1:8080", "[::1]:8080"; a unix socket has neither, as with curl.
struct AddressParts {
  std::string ip;
  std::uint64_t port = 0;
};
AddressParts parts_of(std::string_view address) {
  AddressParts parts;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || address.starts_with("unix")) return parts;
  std::string_view ip = address.substr(0, colon);
  if (ip.starts_with('[') && ip.ends_with(']')) ip = ip.substr(1, ip.size() - 2);
  parts.ip = ip;
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), parts.port);
  return parts;
}

/// Since the caller asked, if it came to that.
Seconds since_start(const client::Record& record, TimePoint at, bool happened) {
  const Duration time = happened ? std::max(at - record.timings.start, Duration::zero()) : Duration::zero();
  return {time};
}

Value time_value(Variable variable, const client::Record& record) {
  const client::Timings& t = record.timings;
  const bool connected = record.connection.id != 0;
  switch (variable) {
    case Variable::kTimeNameLookup:
      return since_start(record, t.resolved, true);
    case Variable::kTimeConnect:
      return since_start(record, t.connected, connected);
    case Variable::kTimeAppConnect:
      return since_start(record, t.secured, t.secured > t.connected);
    case Variable::kTimePretransfer:
      return since_start(record, t.ready, connected);
    case Variable::kTimePosttransfer:
      return since_start(record, t.sent, connected);
    case Variable::kTimeStartTransfer:
      return since_start(record, t.first_byte, record.status != 0);
    case Variable::kTimeRedirect:
      return Seconds{record.redirect_time};
    default:
      return since_start(record, t.end, true);
  }
}

std::uint64_t per_second(std::uint64_t bytes, const client::Record& record) {
  const double seconds = std::chrono::duration<double>(record.timings.end - record.timings.start).count();
  return seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds) : 0;
}

Value connection_value(Variable variable, const client::Record& record) {
  const client::ConnectionFacts& connection = record.connection;
  switch (variable) {
    case Variable::kConnectionId:
      return connection.id;
    case Variable::kConnectionIdle:
      return connection.reused ? Value(Milliseconds{connection.idle}) : Value(None{});
    case Variable::kConnectionRequests:
      return connection.requests;
    case Variable::kMissReason:
      return text_or_none(to_string(connection.miss));
    case Variable::kReused:
      return std::uint64_t{connection.reused};
    case Variable::kDrainBytes:
      return record.drain.bytes;
    case Variable::kDrainTime:
      return Milliseconds{record.drain.time};
    case Variable::kDrainResult:
      return text_or_none(drain_text(record.drain));
    case Variable::kLocalIp:
      return parts_of(connection.local).ip;
    case Variable::kLocalPort:
      return parts_of(connection.local).port;
    case Variable::kRemoteIp:
      return parts_of(connection.remote).ip;
    case Variable::kRemotePort:
      return parts_of(connection.remote).port;
    case Variable::kVerifyResult:
      return static_cast<std::uint64_t>(std::max(connection.verify_result, 0L));
    default:
      return connection.id == 0 ? Value(None{})
                                : Value(std::string(record.url.starts_with("https:") ? "HTTPS" : "HTTP"));
  }
}

Value number_value(Variable variable, const Outcome& outcome) {
  const client::Record& record = outcome.record;
  switch (variable) {
    case Variable::kExitCode:
      return static_cast<std::uint64_t>(outcome.fault ? outcome.fault->exit_code : 0);
    case Variable::kNumConnects:
      return std::uint64_t{record.connects};
    case Variable::kNumHeaders:
      return std::uint64_t{outcome.fields == nullptr ? 0 : outcome.fields->size()};
    case Variable::kNumRedirects:
      return std::uint64_t{record.redirects};
    case Variable::kNumRetries:
      return std::uint64_t{record.retries};
    case Variable::kSizeDownload:
      return record.body_bytes;
    case Variable::kSizeHeader:
      return record.head_bytes;
    case Variable::kSizeRequest:
      return record.request_bytes;
    case Variable::kSizeUpload:
      return record.upload_bytes;
    case Variable::kSpeedDownload:
      return per_second(record.body_bytes, record);
    case Variable::kSpeedUpload:
      return per_second(record.upload_bytes, record);
    case Variable::kUrlNumber:
      return outcome.url_number;
    default:
      return std::uint64_t{0};  // num_certs, proxy_ssl_verify_result
  }
}

Value text_value(Variable variable, const Outcome& outcome) {
  const client::Record& record = outcome.record;
  switch (variable) {
    case Variable::kCerts:
      return std::string();
    case Variable::kContentType:
      return text_or_none(record.content_type);
    case Variable::kErrorMessage:
      return text_or_none(outcome.fault ? std::string_view(outcome.fault->message) : std::string_view());
    case Variable::kFile:
      return text_or_none(outcome.file);
    case Variable::kHttpVersion:
      return std::string(record.status == 0 ? "0" : record.version == http::Version::kHttp10 ? "1" : "1.1");
    case Variable::kMethod:
      return record.method;
    case Variable::kRedirectUrl:
      return text_or_none(record.redirect_url);
    case Variable::kReferer:
      return text_or_none(outcome.referer);
    case Variable::kUrl:
      return std::string(outcome.written);
    case Variable::kUrlEffective:
      return record.url.empty() ? std::string(outcome.written) : record.url;
    default:
      return None{};  // ftp_entry_path
  }
}

Value value_of(Variable variable, const Outcome& outcome) {
  using enum Variable;
  switch (variable) {
    case kHttpCode:
    case kResponseCode:
      return Status{outcome.record.status};
    case kHttpConnect:
      return Status{outcome.record.proxy_status};
    case kConnectionId:
    case kConnectionIdle:
    case kConnectionRequests:
    case kMissReason:
    case kReused:
    case kDrainBytes:
    case kDrainTime:
    case kDrainResult:
    case kLocalIp:
    case kLocalPort:
    case kRemoteIp:
    case kRemotePort:
    case kVerifyResult:
    case kScheme:
      return connection_value(variable, outcome.record);
    case kTimeAppConnect:
    case kTimeConnect:
    case kTimeNameLookup:
    case kTimePosttransfer:
    case kTimePretransfer:
    case kTimeRedirect:
    case kTimeStartTransfer:
    case kTimeTotal:
      return time_value(variable, outcome.record);
    case kCerts:
    case kContentType:
    case kErrorMessage:
    case kFile:
    case kFtpEntryPath:
    case kHttpVersion:
    case kMethod:
    case kRedirectUrl:
    case kReferer:
    case kUrl:
    case kUrlEffective:
      return text_value(variable, outcome);
    default:
      return number_value(variable, outcome);
  }
}

/// curl writes seconds with microseconds.
std::string text_of(Seconds seconds) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(seconds.time).count();
  return fmt::format("{}.{:06}", micros / 1'000'000, micros % 1'000'000);
}

std::string text_of(Milliseconds milliseconds) {
  std::string text;
  append_milliseconds(text, milliseconds.time);
  return text;
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

std::string variable_text(Variable variable, const Outcome& outcome) {
  if (variable == Variable::kJson) return variables_json(outcome);
  if (variable == Variable::kHeaderJson) {
    return fields_json(outcome.fields == nullptr ? http::Fields() : *outcome.fields);
  }
  return std::visit(Overloaded{[](None) { return std::string(); },  //
                               [](const std::string& text) { return text; },
                               [](std::uint64_t number) { return std::to_string(number); },
                               [](Status status) { return fmt::format("{:03}", status.number); },
                               [](Seconds seconds) { return text_of(seconds); },
                               [](Milliseconds milliseconds) { return text_of(milliseconds); }},
                    value_of(variable, outcome));
}

std::string variables_json(const Outcome& outcome) {
  std::string json;
  for (const VariableSpec& variable : variables()) {
    if (!variable.in_json) continue;
    json.append(json.empty() ? "{\"" : ",\"").append(variable.name).append("\":");
    std::visit(Overloaded{[&](None) { json += "null"; },  //
                          [&](const std::string& text) { append_json_string(json, text); },
                          [&](std::uint64_t number) { json += std::to_string(number); },
                          [&](Status status) { json += std::to_string(status.number); },
                          [&](Seconds seconds) { json += text_of(seconds); },
                          [&](Milliseconds milliseconds) { json += text_of(milliseconds); }},
               value_of(variable.id, outcome));
  }
  return json + "}";
}

// Grouped by name, each at its first place, as curl writes it: one field a line.
std::string fields_json(const http::Fields& fields) {
  std::string json = "{";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const http::Field field = fields[i];
    if (fields.find(field.name)->data() != field.value.data()) continue;  // not the first of its name
    append_json_string(json += json.size() == 1 ? "" : ",\n", field.name);
    json += ":[";
    bool first = true;
    for (const http::Field other : fields) {
      if (other.name != field.name) continue;
      append_json_string(json += first ? "" : ",", other.value);
      first = false;
    }
    json += ']';
  }
  return json + "\n}";
}

}  // namespace h2park::cmd
