#include "client/reuse.hpp"

namespace h2park::client {

std::string_view to_string(CloseReason reason) {
  switch (reason) {
    case CloseReason::kNone:
      return "";
    case CloseReason::kConnectionClose:
      return "connection_close";
    case CloseReason::kHttp10:
      return "http10";
    case CloseReason::kUntilClose:
      return "until_close";
    case CloseReason::kTransferCoding:
      return "transfer_coding";
    case CloseReason::kTunnel:
      return "tunnel";
    case CloseReason::kUnsolicitedData:
      return "unsolicited_data";
    case CloseReason::kOverLimitKnown:
      return "over_limit_known";
    case CloseReason::kOverLimit:
      return "over_limit";
    case CloseReason::kDrainTimedOut:
      return "drain_timed_out";
    case CloseReason::kDrainFailed:
      return "drain_failed";
    case CloseReason::kNoDrain:
      return "no_drain";
    case CloseReason::kRequestUnsent:
      return "request_unsent";
    case CloseReason::kPeerClosed:
      return "peer_closed";
    case CloseReason::kIdleTimeout:
      return "idle_timeout";
    case CloseReason::kKeepAliveTimeout:
      return "keep_alive_timeout";
    case CloseReason::kKeepAliveMax:
      return "keep_alive_max";
    case CloseReason::kMaxIdle:
      return "max_idle";
    case CloseReason::kFailed:
      return "failed";
    case CloseReason::kTimedOut:
      return "timed_out";
    case CloseReason::kDone:
      return "done";
  }
  return "";
}

std::string_view to_string(MissReason reason) {
  switch (reason.kind) {
    case MissReason::Kind::kNone:
      return "";
    case MissReason::Kind::kFirst:
      return "first";
    case MissReason::Kind::kBusy:
      return "busy";
    case MissReason::Kind::kDraining:
      return "draining";
    case MissReason::Kind::kClosed:
      return to_string(reason.closed);
    case MissReason::Kind::kStale:
      return "stale";
  }
  return "";
}

std::string_view to_string(DrainResult result) {
  switch (result) {
    case DrainResult::kNone:
      return "";
    case DrainResult::kComplete:
      return "complete";
    case DrainResult::kDrained:
      return "drained";
    case DrainResult::kOverLimitKnown:
      return "over_limit_known";
    case DrainResult::kOverLimit:
      return "over_limit";
    case DrainResult::kTimedOut:
      return "timed_out";
    case DrainResult::kNotReusable:
      return "not_reusable";
    case DrainResult::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace h2park::client
