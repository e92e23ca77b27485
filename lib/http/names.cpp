#include "http/request_head.hpp"
#include "http/session.hpp"

namespace h2park::http {

std::string_view to_string(Version version) {
  switch (version) {
    case Version::kHttp10:
      return "HTTP/1.0";
    case Version::kHttp11:
      return "HTTP/1.1";
    case Version::kHttp2:
      return "HTTP/2";
  }
  return "?";
}

std::string_view to_string(CloseReason reason) {
  switch (reason) {
    case CloseReason::kClient:
      return "client";
    case CloseReason::kIdle:
      return "idle";
    case CloseReason::kTimeout:
      return "timeout";
    case CloseReason::kProtocol:
      return "protocol";
    case CloseReason::kCalm:
      return "calm";
    case CloseReason::kDone:
      return "done";
    case CloseReason::kShutdown:
      return "shutdown";
    case CloseReason::kTls:
      return "tls";
    case CloseReason::kError:
      return "error";
    case CloseReason::kRefused:
      return "refused";
  }
  return "?";
}

}  // namespace h2park::http
