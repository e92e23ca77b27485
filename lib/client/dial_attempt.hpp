// DialAttempt: one connection on its way, from a name to a pipe that is ready for a request.
//
//     resolving -> connecting -> (tunnelling ->) (handshaking ->) dialled
//
// Each step is one object or one wait that goes with the attempt, so destroying it gives it up wherever it
// is.
#pragma once

#include "client/network_dialer.hpp"
#include "client/tunnel.hpp"
#include "net/connector.hpp"
#include "net/unique_fd.hpp"
#include "tls/client_transport.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace h2park::client {

/// Thread: the reactor's. Lifetime: the dialer outlives it; may be destroyed inside its callback.
class DialAttempt final : net::ReadyListener {
 public:
  DialAttempt(NetworkDialer& dialer, const Origin& origin, Dialer::OnDialled on_dialled);
  ~DialAttempt();
  void start();

 private:
  using Addresses = std::vector<net::SocketAddress>;

  void on_readable() override { shake_hands(); }
  void on_writable() override { shake_hands(); }

  void resolved(Result<Addresses> addresses);
  void connect(Addresses addresses);
  void connected(Result<net::UniqueFd> socket);
  void tunnel();
  void begin_tls();
  void shake_hands();
  void handshake_failed(net::IoStatus status);
  void fail(Failure failure);
  void finish(std::unique_ptr<net::Transport> transport);
  void note(std::string line);
  void note_tls();
  TimePoint now() const { return dialer_.reactor_.time().now(); }
  std::string peer_name() const;

  NetworkDialer& dialer_;
  const Origin origin_;
  const Proxy* const proxy_;              // null: none
  const HostOverrides::Target target_;    // the origin's own place, by --connect-to
  const HostOverrides::Target next_hop_;  // where TCP goes: the target, or the proxy
  Dialer::OnDialled on_dialled_;
  Dialled result_;

  std::shared_ptr<void> lookup_;
  std::unique_ptr<net::Connector> connector_;
  net::UniqueFd socket_;
  std::unique_ptr<Tunnel> tunnel_;
  std::unique_ptr<tls::ClientTransport> transport_;
  std::unique_ptr<net::Watch> watch_;  // of the handshake; after the sockets, so that it goes first
};

}  // namespace h2park::client
