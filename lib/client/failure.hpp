// Failure: why a request got no (complete) response, told apart as far as curl's exit codes do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace h2park::client {

enum class FailureKind : std::uint8_t {
  kBadUrl,        ///< 3: also a redirect to one
  kResolveProxy,  ///< 5
  kResolve,       ///< 6
  kConnect,       ///< 7: also a proxy that refuses to tunnel: 56, see kProxyRefused
  kBadResponse,   ///< 8: not HTTP, or a head that is none
  kCutShort,      ///< 18: closed before the body was complete
  kTimeout,       ///< 28
  kTls,           ///< 35: handshake
  kRedirects,     ///< 47: more than --max-redirs
  kEmptyReply,    ///< 52: closed before the first byte
  kSend,          ///< 55
  kReceive,       ///< 56: reset; broken framing of the body
  kProxyRefused,  ///< 56: CONNECT was not answered with 2xx
  kUntrusted,     ///< 60: the peer's certificate
  kDecoding,      ///< 61: Content-Encoding
  kCancelled,     ///< 42: the run was ended by its user
};

struct Failure {
  FailureKind kind;
  std::string message;        ///< one line, no full stop
  unsigned proxy_status = 0;  ///< of the answer to CONNECT; 0: none
};

/// curl's exit code (EXIT CODES in curl(1)).
int exit_code(FailureKind kind);
/// For JSON and the summary: "resolve", "connect", "timeout", "tls", "empty_reply", ...
std::string_view to_string(FailureKind kind);

}  // namespace h2park::client
