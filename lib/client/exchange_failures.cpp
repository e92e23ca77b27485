// How an exchange fails, in words.
#include "client/exchange.hpp"
#include "client/request_head.hpp"

#include <spdlog/fmt/fmt.h>

namespace h2park::client {
namespace {

FailureKind kind_of(http1::ResponseFault fault) {
  switch (fault) {
    case http1::ResponseFault::kNone:
    case http1::ResponseFault::kHeadTooLarge:
    case http1::ResponseFault::kChunk:
      return FailureKind::kReceive;
    case http1::ResponseFault::kCutShort:
      return FailureKind::kCutShort;
    case http1::ResponseFault::kEmptyReply:
      return FailureKind::kEmptyReply;
    case http1::ResponseFault::kStatusLine:
    case http1::ResponseFault::kField:
    case http1::ResponseFault::kInformational:
    case http1::ResponseFault::kSwitch:
    case http1::ResponseFault::kLength:
      return FailureKind::kBadResponse;
  }
  return FailureKind::kReceive;
}

}  // namespace

Exchange::Outcome Exchange::fail(FailureKind kind, std::string message) {
  record_.failure = Failure{kind, std::move(message)};
  return Outcome::kFailed;
}

Exchange::Outcome Exchange::late(Connection& connection) {
  timed_out_ = true;
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now() - record_.timings.start).count();
  const auto left = connection.reader().state() == http1::ResponseReader::State::kBody
                        ? connection.reader().body_left()
                        : std::nullopt;
  const std::string of = left ? fmt::format(" out of {}", record_.body_bytes + *left) : "";
  return fail(FailureKind::kTimeout,
              fmt::format("Operation timed out after {} milliseconds with {}{} bytes received", ms,
                          record_.body_bytes, of));
}

// The server's bytes are no HTTP.
Exchange::Outcome Exchange::broken(Connection& connection) {
  const http1::ResponseFault fault = connection.reader().fault();
  return fail(kind_of(fault), fmt::format("Bad response from {}: {}", request_.url.origin.authority(),
                                          http1::to_string(fault)));
}

// The connection ended.
Exchange::Outcome Exchange::lost(Connection& connection, Connection::Io io) {
  const bool reused = record_.connection.reused;
  const std::string reason(io == Connection::Io::kError ? connection.transport().error_text() : "");
  const bool silent = !connection.has_response();
  if (silent && reused && first_try_ && is_idempotent(request_.method)) return Outcome::kStale;
  if (silent) {
    const std::string which =
        !first_try_ ? " on a reused connection, and again on a fresh one"
        : reused    ? fmt::format(" on a reused connection; {} is not repeated", request_.method)
                    : "";
    if (io == Connection::Io::kEof) return fail(FailureKind::kEmptyReply, "Empty reply from server" + which);
    const bool sending = send_failed_;
    return fail(sending ? FailureKind::kSend : FailureKind::kReceive,
                fmt::format("{}: {}{}", sending ? "Send failure" : "Receive failure", reason, which));
  }
  if (io == Connection::Io::kError) return fail(FailureKind::kReceive, "Receive failure: " + reason);
  if (record_.status == 0)
    return fail(FailureKind::kReceive, "Connection closed in the middle of the response's head");
  if (connection.reader().state() == http1::ResponseReader::State::kComplete) {
    return fail(FailureKind::kReceive, "TLS connection closed without close_notify: the body may be cut");
  }
  const std::string left =
      connection.lacking() ? fmt::format("{} bytes", *connection.lacking()) : std::string("outstanding data");
  return fail(FailureKind::kCutShort, fmt::format("Transfer closed with {} remaining to read", left));
}

}  // namespace h2park::client
