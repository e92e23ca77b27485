// What a response's fields mean for its body and its connection (RFC 9112 6.3, 9.3), as a client judges it.
#pragma once

#include "http1/response_head.hpp"
#include "http1/response_reader.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace h2park::http1 {

struct ResponseFraming {
  ResponseFault fault = ResponseFault::kNone;  ///< or kLength
  BodyEnd body_end = BodyEnd::kNone;
  std::uint64_t length = 0;  ///< kLength: at least 1
  Persistence persistence = Persistence::kReusable;
  std::optional<std::chrono::seconds> keep_alive_timeout;
  std::optional<unsigned> keep_alive_max;
};

/// Of a final response. Decisions where the RFC leaves a choice:
///   - equal Content-Length values, as a list or in several fields, count as one (RFC 9110 8.6)
///   - where there is no body whatever the fields say, a bad Content-Length is not looked at (6.3 rule 1)
///   - Transfer-Encoding that is not chunked alone, or in HTTP/1.0, or beside Content-Length, is undone as
///   far
///     as it is understood, and the connection is not used again (6.1, 6.3 rule 3)
///   - of several reasons against another request, the peer's own word (close) is the one given
ResponseFraming judge_framing(const ResponseHead& head, const RequestTraits& traits);

/// RFC 9112 9.6: after a close in a 1xx, too, nothing more may be asked.
bool announces_close(const ResponseHead& head);

}  // namespace h2park::http1
