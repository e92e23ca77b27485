// WorkerHouse: a worker on a fake clock, with clients at the other ends of its sockets. No thread, no sleep.
#pragma once

#include "base/clock.hpp"
#include "server/worker.hpp"
#include "support/socket_peer.hpp"
#include "tls/slot_routing.hpp"

#include <memory>
#include <optional>
#include <string>

namespace h2park::test {

class WorkerHouse {
 public:
  /// With the built-in routes.
  WorkerHouse() : WorkerHouse(default_options()) {}
  explicit WorkerHouse(server::Options options);
  /// `ring`: see Worker.
  WorkerHouse(server::Options options, http::Handler handler, std::function<void()> ring);

  /// `parking`: what --park says. Nothing is frozen.
  static server::Options default_options(bool parking = true);
  /// Every connection that parks is frozen in the same turn.
  static server::Options freezing_options();

  /// Connections from now on speak TLS as `clients` want it. Requires: route_allocations() was called before
  /// the first use of OpenSSL, if they are to be frozen.
  void secure(const tls::TlsClientOptions& clients);
  /// What they are frozen against then.
  tls::ServerContext& tls() { return *tls_; }

  /// A client on a fresh connection. Nothing is sent yet, but for TLS's handshake.
  std::unique_ptr<SocketPeer> connect(bool auto_windows = true);
  /// The same, having greeted and settled.
  std::unique_ptr<SocketPeer> greeted(std::uint32_t window = 65'535, bool auto_windows = true);
  server::ConnectionId last_id() const { return last_id_; }

  /// Lets the worker do all that there is to do now.
  void settle();
  /// Both sides, until neither has anything to say.
  void settle(SocketPeer& peer);
  void advance(Duration by) {
    time.advance(by);
    settle();
  }

  /// Without a serve coroutine, frozen or not.
  std::uint64_t parked() { return worker.counters().parked.get() + frozen(); }
  std::uint64_t frozen() { return worker.counters().frozen.get(); }
  std::uint64_t open() { return worker.counters().open.get(); }
  std::uint64_t serving() { return worker.counters().tasks_live[0].get(); }
  std::uint64_t wakes(server::WakeReason reason) {
    return worker.counters().wakes[static_cast<std::size_t>(reason)].get();
  }
  std::uint64_t closed(http::CloseReason reason) {
    return worker.counters().closed[static_cast<std::size_t>(reason)].get();
  }

  ManualTime time;
  server::Options options;
  http::Handler handler;
  server::ServerShare share;
  std::optional<freezer::Slots> slots;
  std::optional<tls::RoutedSlots> routed_slots;  // where something is to be frozen: only one can be
  server::Worker worker;

 private:
  server::ConnectionId last_id_;
  std::shared_ptr<tls::ServerContext> tls_;
  tls::TlsClientOptions tls_clients_;
};

}  // namespace h2park::test
