// Request ids: what ties a response, a log line and a client's own records together.
//
// A client's `x-request-id` is taken over if it is sane, and sent back. Otherwise an id is made when somebody
// needs it: for the access log (then it is sent back as well) or for an error report. With no log, /hello
// pays nothing.
#pragma once

#include "http/handler.hpp"

#include <string_view>

namespace h2park::handlers {

/// True for 1 to 128 visible characters that need no escaping in any log: letters, digits and -._~+/=:@
bool is_sane_request_id(std::string_view id);

/// The exchange's id; made now if it has none: 16 hexadecimal digits of a per-thread random prefix, '-', a
/// counter.
std::string_view request_id_of(http::Exchange& exchange);

/// As request_id_of(), and sends it with the response if that has not started.
std::string_view announce_request_id(http::Responder& response);

/// Takes over and echoes the client's id. `always`: makes and announces one for every other request too.
http::Middleware request_id_middleware(bool always);

}  // namespace h2park::handlers
