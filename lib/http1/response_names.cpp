// What faults and reasons are called in messages and reports.
#include "http1/response_reader.hpp"

namespace h2park::http1 {

std::string_view to_string(ResponseFault fault) {
  switch (fault) {
    case ResponseFault::kNone:
      return "no fault";
    case ResponseFault::kStatusLine:
      return "malformed status line";
    case ResponseFault::kField:
      return "malformed header field";
    case ResponseFault::kHeadTooLarge:
      return "header or trailers too large";
    case ResponseFault::kInformational:
      return "too many 1xx responses";
    case ResponseFault::kSwitch:
      return "unrequested switch of protocols";
    case ResponseFault::kLength:
      return "invalid content-length";
    case ResponseFault::kChunk:
      return "malformed chunk";
    case ResponseFault::kCutShort:
      return "response cut short";
    case ResponseFault::kEmptyReply:
      return "empty reply";
  }
  return "?";
}

std::string_view to_string(Persistence persistence) {
  switch (persistence) {
    case Persistence::kReusable:
      return "reusable";
    case Persistence::kCloseField:
      return "connection: close";
    case Persistence::kHttp10:
      return "http/1.0";
    case Persistence::kUntilClose:
      return "until close";
    case Persistence::kTransferCoding:
      return "transfer-encoding";
    case Persistence::kTunnel:
      return "tunnel";
    case Persistence::kFault:
      return "fault";
  }
  return "?";
}

}  // namespace h2park::http1
