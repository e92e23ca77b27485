// Transport: a connection's byte pipe, plain or TLS. Non-blocking; never waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace h2park::net {

enum class IoStatus : std::uint8_t {
  kOk,         ///< progress was made
  kWantRead,   ///< nothing now: try again when the descriptor is readable
  kWantWrite,  ///< nothing now: try again when the descriptor is writable
  kEof,        ///< the peer will send no more (FIN, or close_notify)
  kError,      ///< the pipe is dead; error_text() says why
};

struct IoResult {
  std::size_t bytes = 0;
  IoStatus status = IoStatus::kOk;
};

/// Thread: the connection's. Owns its descriptor and closes it when destroyed.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int descriptor() const = 0;
  /// TLS: goes on with the handshake; kOk once it is complete. Plain: kOk.
  virtual IoStatus handshake() = 0;
  /// kOk with bytes > 0, or another status with bytes == 0.
  virtual IoResult read(std::span<std::byte> room) = 0;
  /// Writes a prefix of `bytes`. After kWant* the next call repeats at least the same bytes (they may have
  /// moved). kOk with bytes < bytes.size() is possible and means: full, as kWantWrite.
  virtual IoResult write(std::span<const std::byte> bytes) = 0;
  /// Decrypted bytes wait inside although the descriptor is not readable.
  virtual bool has_pending() const = 0;
  /// Says goodbye: close_notify where there is TLS (best effort, RFC 8446 6.1), then FIN. Reading stays
  /// possible.
  virtual void shutdown_write() = 0;
  /// The protocol chosen by ALPN; "" without TLS or without ALPN.
  virtual std::string_view alpn() const = 0;
  virtual bool secure() const = 0;
  /// After kEof: the pipe ended without saying so (TLS without close_notify), so a message that only the end
  /// of the pipe ends may have been cut (RFC 9112 9.8).
  virtual bool truncated() const { return false; }
  /// One line about the last kError. Lifetime: until the next call.
  virtual std::string_view error_text() const = 0;
};

}  // namespace h2park::net
