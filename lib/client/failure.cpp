#include "client/failure.hpp"

namespace h2park::client {

int exit_code(FailureKind kind) {
  switch (kind) {
    case FailureKind::kBadUrl:
      return 3;
    case FailureKind::kResolveProxy:
      return 5;
    case FailureKind::kResolve:
      return 6;
    case FailureKind::kConnect:
      return 7;
    case FailureKind::kBadResponse:
      return 8;
    case FailureKind::kCutShort:
      return 18;
    case FailureKind::kTimeout:
      return 28;
    case FailureKind::kTls:
      return 35;
    case FailureKind::kCancelled:
      return 42;
    case FailureKind::kRedirects:
      return 47;
    case FailureKind::kEmptyReply:
      return 52;
    case FailureKind::kSend:
      return 55;
    case FailureKind::kReceive:
      return 56;
    case FailureKind::kProxyRefused:
      return 56;
    case FailureKind::kUntrusted:
      return 60;
    case FailureKind::kDecoding:
      return 61;
  }
  return 1;
}

std::string_view to_string(FailureKind kind) {
  switch (kind) {
    case FailureKind::kBadUrl:
      return "bad_url";
    case FailureKind::kResolveProxy:
      return "resolve_proxy";
    case FailureKind::kResolve:
      return "resolve";
    case FailureKind::kConnect:
      return "connect";
    case FailureKind::kBadResponse:
      return "bad_response";
    case FailureKind::kCutShort:
      return "cut_short";
    case FailureKind::kTimeout:
      return "timeout";
    case FailureKind::kTls:
      return "tls";
    case FailureKind::kRedirects:
      return "redirects";
    case FailureKind::kEmptyReply:
      return "empty_reply";
    case FailureKind::kSend:
      return "send";
    case FailureKind::kReceive:
      return "receive";
    case FailureKind::kProxyRefused:
      return "proxy_refused";
    case FailureKind::kUntrusted:
      return "untrusted";
    case FailureKind::kDecoding:
      return "decoding";
    case FailureKind::kCancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace h2park::client
