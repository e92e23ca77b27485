// What a request says about itself: its head as it is sent, and what follows from its fields.
#pragma once

#include "client/options.hpp"
#include "client/request.hpp"
#include "client/reuse.hpp"
#include "http1/response_reader.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace h2park::client {

/// The head, with what the client adds to the caller's fields: Host, Content-Length, cookies of the jar,
/// Basic credentials of the URL (which are never sent in a target, RFC 9110 4.2.4), and for a proxy the
/// absolute form (RFC 9112 3.2.2) and its credentials. Errors: http1::request_text()'s.
Result<std::string> request_head(const Request& request, const Options& options,
                                 std::chrono::system_clock::time_point wall);

http1::RequestTraits traits_of(const Request& request);
/// Its body waits for 100 (RFC 9110 10.1.1).
bool expects_continue(const Request& request);
/// It does not any more.
void drop_expect(Request& request);
/// Why the connection ends with this request by its own fields and version, or kNone (RFC 9112 9.3, 9.6).
CloseReason close_asked(const Request& request);
/// RFC 9110 9.2.2.
bool is_idempotent(std::string_view method);

}  // namespace h2park::client
