#include "client/drain.hpp"

#include "client/connection.hpp"
#include "client/request.hpp"

namespace h2park::client {
namespace {

// A server that sends faster than we read, and little content with much framing, must not keep us from
// looking at the clock. Enough for 256 KiB through the read buffer, or in TLS records.
constexpr int kReadsPerTurn = 64;

}  // namespace

CloseReason close_reason_of(http1::Persistence persistence) {
  switch (persistence) {
    case http1::Persistence::kReusable:
      return CloseReason::kNone;
    case http1::Persistence::kCloseField:
      return CloseReason::kConnectionClose;
    case http1::Persistence::kHttp10:
      return CloseReason::kHttp10;
    case http1::Persistence::kUntilClose:
      return CloseReason::kUntilClose;
    case http1::Persistence::kTransferCoding:
      return CloseReason::kTransferCoding;
    case http1::Persistence::kTunnel:
      return CloseReason::kTunnel;
    case http1::Persistence::kFault:
      return CloseReason::kFailed;
  }
  return CloseReason::kFailed;
}

std::optional<DrainEnd> Drain::judge(const http1::ResponseReader& reader, CloseReason forced) const {
  const bool complete = reader.state() == http1::ResponseReader::State::kComplete;
  CloseReason close = close_reason_of(reader.persistence());
  if (close == CloseReason::kNone) close = forced;
  if (complete) return DrainEnd{DrainResult::kComplete, close};
  if (close != CloseReason::kNone) return DrainEnd{DrainResult::kNotReusable, close};
  if (!options_.enabled) return DrainEnd{DrainResult::kNotReusable, CloseReason::kNoDrain};
  if (reader.body_left().value_or(0) > options_.bytes) {
    return DrainEnd{DrainResult::kOverLimitKnown, CloseReason::kOverLimitKnown};
  }
  return std::nullopt;
}

std::optional<DrainEnd> Drain::advance(Connection& connection) {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    // One byte more than allowed: only a byte too many tells that the end does not come exactly at the bound.
    const std::uint64_t left = options_.bytes - bytes_;
    const Connection::Io io = connection.receive(*this, left == kReadAll ? left : left + 1);
    if (bytes_ > options_.bytes) return DrainEnd{DrainResult::kOverLimit, CloseReason::kOverLimit};
    if (connection.reader().state() == http1::ResponseReader::State::kComplete) {
      return DrainEnd{DrainResult::kDrained, close_reason_of(connection.reader().persistence())};
    }
    if (io == Connection::Io::kWait) return std::nullopt;
    if (io != Connection::Io::kProgress ||
        connection.reader().state() == http1::ResponseReader::State::kFailed) {
      return DrainEnd{DrainResult::kFailed, CloseReason::kDrainFailed};
    }
  }
  return std::nullopt;
}

}  // namespace h2park::client
