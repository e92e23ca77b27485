// The words with which the client says why a connection was reused, drained or closed. JSON and -w use them,
// so they are an interface: the man page lists each.
#pragma once

#include <cstdint>
#include <string_view>

namespace h2park::client {

/// Why a connection ended.
enum class CloseReason : std::uint8_t {
  kNone,             ///< it lives
  kConnectionClose,  ///< the server or the request said Connection: close
  kHttp10,           ///< HTTP/1.0 without keep-alive
  kUntilClose,       ///< the body's end was the connection's
  kTransferCoding,  ///< framing that is not to be trusted: Transfer-Encoding with Content-Length, in HTTP/1.0
                    ///< ...
  kTunnel,          ///< it became something else than HTTP
  kUnsolicitedData,   ///< bytes after the response, or on an idle connection (RFC 9112 9.2)
  kOverLimitKnown,    ///< Content-Length left more than --drain-bytes
  kOverLimit,         ///< --drain-bytes were read and it went on
  kDrainTimedOut,     ///< --drain-time was over
  kDrainFailed,       ///< the connection broke, or its framing, while it was drained
  kNoDrain,           ///< --no-drain, and the body was not read to its end
  kRequestUnsent,     ///< the response was complete before the request's body was sent (RFC 9112 9.5)
  kPeerClosed,        ///< the server closed it while it was idle
  kIdleTimeout,       ///< --idle-timeout
  kKeepAliveTimeout,  ///< Keep-Alive: timeout=N, less a margin
  kKeepAliveMax,      ///< Keep-Alive: max=N requests were made
  kMaxIdle,           ///< --max-idle: the pool had no place for it
  kFailed,            ///< a request on it failed
  kTimedOut,          ///< a request on it took too long
  kDone,              ///< the run was over
};
inline constexpr std::size_t kCloseReasons = static_cast<std::size_t>(CloseReason::kDone) + 1;
/// "connection_close", "http10", "over_limit_known", ...; "" for kNone.
std::string_view to_string(CloseReason reason);

/// Why a request was made on a new connection.
struct MissReason {
  enum class Kind : std::uint8_t {
    kNone,      ///< it was not: the connection was reused
    kFirst,     ///< nothing had been connected to this origin before
    kBusy,      ///< every connection to it was in use
    kDraining,  ///< one was still being drained, and dialling was faster
    kClosed,    ///< the last one to this origin was closed: see `closed`
    kStale,     ///< a reused connection turned out dead, and this is the retry
  };
  Kind kind = Kind::kNone;
  CloseReason closed = CloseReason::kNone;
};
/// "", "first", "busy", "draining", "stale", or the close reason's word.
std::string_view to_string(MissReason reason);

/// What became of the rest of a body.
enum class DrainResult : std::uint8_t {
  kNone,            ///< no response, so nothing to drain
  kComplete,        ///< read to its end by the caller
  kDrained,         ///< the rest was read and thrown away within both bounds
  kOverLimitKnown,  ///< not begun: Content-Length says that too much is left
  kOverLimit,       ///< given up after --drain-bytes
  kTimedOut,        ///< given up after --drain-time
  kNotReusable,     ///< not begun: the connection could not be reused anyway; the close reason says why
  kFailed,          ///< the connection broke meanwhile, or the framing
};
inline constexpr std::size_t kDrainResults = static_cast<std::size_t>(DrainResult::kFailed) + 1;
/// "", "complete", "drained", ..., "not_reusable", "failed".
std::string_view to_string(DrainResult result);

}  // namespace h2park::client
