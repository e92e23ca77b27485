// PlainTransport: a connection's bytes as they are on the socket.
#pragma once

#include "net/transport.hpp"
#include "net/unique_fd.hpp"

namespace h2park::net {

/// Requires: a connected, non-blocking stream socket; read() and write() are given at least one byte.
/// Thread: the connection's. Holds no heap memory, so that it can live inside a connection's own memory.
/// Never raises SIGPIPE.
class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(UniqueFd socket) noexcept : socket_(std::move(socket)) {}

  int descriptor() const override { return socket_.get(); }
  IoStatus handshake() override { return IoStatus::kOk; }
  IoResult read(std::span<std::byte> room) override;
  IoResult write(std::span<const std::byte> bytes) override;
  bool has_pending() const override { return false; }
  void shutdown_write() override;
  std::string_view alpn() const override { return {}; }
  bool secure() const override { return false; }
  std::string_view error_text() const override;

 private:
  IoResult failed(IoStatus when_blocked);

  UniqueFd socket_;
  int error_ = 0;  // errno of the last kError
};

static_assert(sizeof(PlainTransport) <= 16, "one per connection: a vtable pointer and two integers");

}  // namespace h2park::net
