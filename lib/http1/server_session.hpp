// The server's side of an HTTP/1.0 or HTTP/1.1 connection (RFC 9110, RFC 9112), without I/O.
#pragma once

#include "http/session.hpp"

#include <memory>
#include <memory_resource>

namespace h2park::http1 {

/// A session before its first byte. `secure`: the default scheme of requests is https.
/// Pipelined requests: when produce() has ended an exchange the next one may stand ready, so call
/// next_request() after produce() too. Lifetime: everything passed, `options` too, outlives the session. The
/// session itself and all it keeps are taken from `memory`. Thread: the connection's.
std::unique_ptr<http::Session> make_server_session(std::pmr::memory_resource* memory,
                                                   const http::SessionOptions& options,
                                                   http::ExchangeHost& host, http::OutputBudget& budget,
                                                   bool secure);

}  // namespace h2park::http1
