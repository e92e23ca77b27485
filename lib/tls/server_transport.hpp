// ServerTransport: a connection's bytes through TLS, the server's side.
#pragma once

#include "http/connection_info.hpp"
#include "net/transport.hpp"
#include "net/unique_fd.hpp"
#include "tls/server_context.hpp"
#include "tls/ssl_pipe.hpp"

#include <memory>

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

  int descriptor() const override { return pipe_.descriptor(); }
  net::IoStatus handshake() override { return pipe_.handshake(); }
  net::IoResult read(std::span<std::byte> room) override { return pipe_.read(room); }
  net::IoResult write(std::span<const std::byte> bytes) override { return pipe_.write(bytes); }
  /// False after a read() that said kWantRead: what is left inside then is part of a record, and the rest of
  /// it will make the descriptor readable.
  bool has_pending() const override { return pipe_.has_pending(); }
  void shutdown_write() override { pipe_.shutdown_write(); }
  std::string_view alpn() const override { return pipe_.alpn(); }
  bool secure() const override { return true; }
  std::string_view error_text() const override { return pipe_.error_text(); }

  /// Requires: the handshake is done.
  http::TlsInfo info() const;
  /// After kEof: the peer closed without close_notify, so its last message may have been cut (RFC 8446 6.1).
  bool truncated() const override { return pipe_.truncated(); }

 private:
  SslPipe pipe_;
};

static_assert(sizeof(ServerTransport) <= 40, "one per connection");

/// A TLS connection on an accepted socket; call handshake() next.
std::unique_ptr<net::Transport> accept(ServerContext& context, net::UniqueFd socket);

}  // namespace h2park::tls
