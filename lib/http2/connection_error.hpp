// Connection errors: which GOAWAY code and which close reason an error of nghttp2 stands for.
#pragma once

#include "http/session.hpp"

#include <cstdint>

namespace h2park::http2 {

struct ConnectionError {
  std::uint32_t code;  ///< RFC 9113 7
  http::CloseReason reason;
};

/// For a fatal error of nghttp2_session_mem_recv() or of a submit function: nghttp2 has not sent a GOAWAY
/// itself.
ConnectionError connection_error(int nghttp2_error);
/// For a GOAWAY that nghttp2 has sent on its own account. Requires: `code` is not NO_ERROR.
http::CloseReason close_reason_of(std::uint32_t code);
/// RST_STREAM with this code answers a fault of the client.
bool blames_client(std::uint32_t code);

}  // namespace h2park::http2
