#include "http2/connection_error.hpp"

#include <nghttp2/nghttp2.h>

namespace h2park::http2 {

ConnectionError connection_error(int nghttp2_error) {
  switch (nghttp2_error) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
      return {NGHTTP2_PROTOCOL_ERROR, http::CloseReason::kProtocol};
    case NGHTTP2_ERR_FLOODED:  // replies pile up because the client does not read them
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
      return {NGHTTP2_ENHANCE_YOUR_CALM, http::CloseReason::kCalm};
    default:  // out of memory, or an exception in one of our callbacks
      return {NGHTTP2_INTERNAL_ERROR, http::CloseReason::kError};
  }
}

http::CloseReason close_reason_of(std::uint32_t code) {
  switch (code) {
    case NGHTTP2_ENHANCE_YOUR_CALM:
      return http::CloseReason::kCalm;
    case NGHTTP2_SETTINGS_TIMEOUT:
      return http::CloseReason::kTimeout;
    case NGHTTP2_INTERNAL_ERROR:
      return http::CloseReason::kError;
    default:
      return http::CloseReason::kProtocol;
  }
}

bool blames_client(std::uint32_t code) {
  switch (code) {
    case NGHTTP2_PROTOCOL_ERROR:
    case NGHTTP2_FLOW_CONTROL_ERROR:
    case NGHTTP2_STREAM_CLOSED:
    case NGHTTP2_FRAME_SIZE_ERROR:
    case NGHTTP2_COMPRESSION_ERROR:
    case NGHTTP2_ENHANCE_YOUR_CALM:
      return true;
    default:  // REFUSED_STREAM is counted when the request comes, the others are our own wish
      return false;
  }
}

}  // namespace h2park::http2
