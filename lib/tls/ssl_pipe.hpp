// SslPipe: bytes through one SSL* directly on its socket, the same for both sides of TLS.
//
// No buffers of its own, and the library's go back when they are empty (after the handshake: with the first
// read() that finds nothing). A record that the socket took in part is repeated by the library, so also after
// a short kOk the next write() begins with the same bytes and has no fewer of them than were left; progress
// shows when a record (at most 16 KiB) is through.
#pragma once

#include "net/transport.hpp"
#include "net/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace h2park::tls {

enum class Side : std::uint8_t { kServer, kClient };

/// For lib/tls itself; its members are net::Transport's, see there and ServerTransport.
///
/// Requires: a connected, non-blocking stream socket; SIGPIPE is ignored by the process; the context has
///   SSL_MODE_ENABLE_PARTIAL_WRITE, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER and SSL_OP_IGNORE_UNEXPECTED_EOF.
/// Thread: the connection's. Holds no heap memory but the library's, which is the connection's slot if this
///   object lies in one (tls/slot_routing.hpp).
class SslPipe {
 public:
  /// Errors: std::bad_alloc.
  SslPipe(ssl_ctx_st* context, net::UniqueFd socket, Side side);
  ~SslPipe();
  SslPipe(const SslPipe&) = delete;
  SslPipe& operator=(const SslPipe&) = delete;

  int descriptor() const { return socket_.get(); }
  net::IoStatus handshake();
  net::IoResult read(std::span<std::byte> room);
  net::IoResult write(std::span<const std::byte> bytes);
  bool has_pending() const;
  void shutdown_write();
  std::string_view alpn() const;
  std::string_view error_text() const;

  /// After kEof: the peer closed without close_notify.
  bool truncated() const { return truncated_; }
  /// kError was told; every call is kError from then on.
  bool dead() const { return dead_; }
  /// The library's code of kError; 0: it was the socket's.
  unsigned long tls_error() const { return tls_error_; }
  ssl_st* native() const { return ssl_; }

 private:
  net::IoStatus status_after(int result);

  net::UniqueFd socket_;
  int system_error_ = 0;   // errno of kError, if it came from the socket
  ssl_st* ssl_ = nullptr;  // owned
  unsigned long tls_error_ = 0;
  bool dead_ = false;     // no more calls that write: the library forbids them after an error
  bool drained_ = false;  // the last read() found nothing whole inside
  bool truncated_ = false;
  std::uint16_t blocked_ = 0;  // length of the record that the last write() could not finish, else 0
};

static_assert(sizeof(SslPipe) <= 32, "one per connection");

}  // namespace h2park::tls
