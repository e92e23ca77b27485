// ServerTransport: a connection's bytes through TLS, the server's side.
#pragma once

#include "http/connection_info.hpp"
#include "net/transport.hpp"
#include "net/unique_fd.hpp"
#include "tls/server_context.hpp"

#include <cstdint>
#include <memory>

struct ssl_st;

namespace h2park::tls {

/// Drives the library directly on the socket: no buffers of its own, and the library's go back when they are
/// empty (after the handshake: with the first read() that finds nothing).
///
/// Requires: a connected, non-blocking stream socket; SIGPIPE is ignored by the process (the library writes
///   with write(2)); read() and write() are given at least one byte, and no write() comes before handshake()
///   has said kOk.
/// Thread: the connection's. Holds no heap memory but the library's.
/// Lifetime: independent of `context`, which a reload may replace meanwhile.
///
/// What only TLS does: read() may answer kWantWrite, and write() kWantRead. A record that the socket took in
/// part is repeated by the library, so also after a short kOk the next write() begins with the same bytes and
/// has no fewer of them than were left; progress shows when a record (at most 16 KiB) is through. kEof from
/// handshake(): the peer gave up. After kError every call is kError.
class ServerTransport final : public net::Transport {
 public:
  /// Errors: std::bad_alloc.
  ServerTransport(ServerContext& context, net::UniqueFd socket);
  ~ServerTransport() override;
  ServerTransport(const ServerTransport&) = delete;
  ServerTransport& operator=(const ServerTransport&) = delete;

  int descriptor() const override { return socket_.get(); }
  net::IoStatus handshake() override;
  net::IoResult read(std::span<std::byte> room) override;
  net::IoResult write(std::span<const std::byte> bytes) override;
  /// False after a read() that said kWantRead: what is left inside then is part of a record, and the rest of
  /// it will make the descriptor readable.
  bool has_pending() const override;
  void shutdown_write() override;
  std::string_view alpn() const override;
  bool secure() const override { return true; }
  std::string_view error_text() const override;

  /// Requires: the handshake is done.
  http::TlsInfo info() const;
  /// After kEof: the peer closed without close_notify, so its last message may have been cut (RFC 8446 6.1).
  bool truncated() const { return truncated_; }

 private:
  net::IoStatus status_after(int result);

  net::UniqueFd socket_;
  int system_error_ = 0;         // errno of the last kError, if it came from the socket
  ssl_st* ssl_ = nullptr;        // owned
  unsigned long tls_error_ = 0;  // the library's code of the last kError, else 0
  bool dead_ = false;            // no more calls that write: the library forbids them after an error
  bool drained_ = false;         // the last read() found nothing whole inside
  bool truncated_ = false;
  std::uint16_t blocked_ = 0;  // length of the record that the last write() could not finish, else 0
};

static_assert(sizeof(ServerTransport) <= 40, "one per connection");

/// A TLS connection on an accepted socket; call handshake() next.
std::unique_ptr<net::Transport> accept(ServerContext& context, net::UniqueFd socket);

}  // namespace h2park::tls
