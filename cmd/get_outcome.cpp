#include "cmd/get_outcome.hpp"

#include <algorithm>

namespace h2park::cmd {
namespace {

constexpr int kHttpError = 22;
constexpr int kWriteError = 23;

}  // namespace

std::optional<Fault> fault_of(const client::Record& record, bool fail_on_status,
                              const std::optional<Fault>& own) {
  if (own) return own;
  if (record.failure) {
    return Fault{client::exit_code(record.failure->kind), to_string(record.failure->kind),
                 record.failure->message};
  }
  if (fail_on_status && record.status >= 400) {
    return Fault{kHttpError, "http_error",
                 "The requested URL returned error: " + std::to_string(record.status)};
  }
  return std::nullopt;
}

Fault write_fault(std::string message) { return {kWriteError, "write", std::move(message)}; }

Fault decoding_fault(std::string message) {
  constexpr auto kKind = client::FailureKind::kDecoding;
  return {client::exit_code(kKind), to_string(kKind), std::move(message)};
}

std::string drain_text(const client::DrainFacts& drain) {
  std::string text(to_string(drain.result));
  if (drain.result == client::DrainResult::kNotReusable) text.append(":").append(to_string(drain.close));
  return text;
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::kDns:
      return "dns";
    case Phase::kConnect:
      return "connect";
    case Phase::kTls:
      return "tls";
    case Phase::kSend:
      return "send";
    case Phase::kWait:
      return "wait";
    case Phase::kFirstByte:
      return "first_byte";
    case Phase::kRead:
      return "read";
    case Phase::kTotal:
      return "total";
  }
  return "";
}

// A request that failed has no times for what it did not come to: those differences are negative.
Duration length_of(Phase phase, const client::Timings& t) {
  const auto between = [](TimePoint from, TimePoint to) { return std::max(to - from, Duration::zero()); };
  switch (phase) {
    case Phase::kDns:
      return between(t.begin, t.resolved);
    case Phase::kConnect:
      return between(t.resolved, t.connected);
    case Phase::kTls:
      return between(t.connected, t.secured);
    case Phase::kSend:
      return between(t.ready, t.sent);
    case Phase::kWait:
      return between(t.sent, t.first_byte);
    case Phase::kFirstByte:
      return between(t.start, t.first_byte);
    case Phase::kRead:
      return t.first_byte < t.start ? Duration::zero() : between(t.first_byte, t.end);
    case Phase::kTotal:
      return between(t.start, t.end);
  }
  return {};
}

}  // namespace h2park::cmd
