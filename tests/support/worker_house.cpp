#include "support/worker_house.hpp"

#include "handlers/routes.hpp"
#include "tls/thread_warmup.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>

namespace h2park::test {

WorkerHouse::WorkerHouse(server::Options asked)
    : WorkerHouse(asked, *handlers::make_handler(asked.handlers, nullptr), [] {}) {}

WorkerHouse::WorkerHouse(server::Options asked, http::Handler all, std::function<void()> ring)
    : options(std::move(asked)),
      handler(std::move(all)),
      slots(*freezer::Slots::reserve(options.max_connections)),
      worker(options, handler, share, *server::Lot::open(), time, std::move(ring),
             options.parking.freeze_after ? &*slots : nullptr) {
  if (options.parking.freeze_after) routed_slots.emplace(*slots);
  worker.bind();
  if (const auto learnt = worker.learn_dictionary(); !learnt)
    throw std::runtime_error(learnt.error().message);
}

server::Options WorkerHouse::default_options(bool parking) {
  server::Options options;
  options.max_connections = 1000;
  options.parking.enabled = parking;
  options.parking.freeze_after.reset();
  return options;
}

server::Options WorkerHouse::freezing_options() {
  server::Options options = default_options();
  options.parking.freeze_after = Duration::zero();
  return options;
}

void WorkerHouse::secure(const tls::TlsClientOptions& clients) {
  tls_clients_ = clients;
  if (tls_ != nullptr) return;
  tls_ = tls::ServerContext::self_signed(std::make_shared<tls::TicketKeys>()).value();
  tls::rehearse(*tls_);
  if (const auto learnt = worker.learn_dictionary(tls_.get()); !learnt)
    throw std::runtime_error(learnt.error().message);
}

std::unique_ptr<SocketPeer> WorkerHouse::connect(bool auto_windows) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error("socketpair failed");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  auto client = tls_ != nullptr ? std::make_unique<tls::TlsClient>(tls_clients_) : nullptr;
  auto peer = std::make_unique<SocketPeer>(net::UniqueFd(ends[1]), auto_windows, std::move(client));
  if (const auto id = worker.adopt(net::UniqueFd(ends[0]), tls_.get())) last_id_ = *id;
  // A handshake takes two rounds at most; the rest is margin.
  for (int round = 0; round < 8 && !peer->shake_hands(); ++round) settle();
  return peer;
}

std::unique_ptr<SocketPeer> WorkerHouse::greeted(std::uint32_t window, bool auto_windows) {
  auto peer = connect(auto_windows);
  peer->greet(window);
  settle(*peer);
  return peer;
}

void WorkerHouse::settle() {
  pollfd lot{worker.lot().descriptor(), POLLIN, 0};
  while (worker.turn() || poll(&lot, 1, 0) > 0) {
  }
}

void WorkerHouse::settle(SocketPeer& peer) {
  // SETTINGS, their ACKs and a PING take three rounds; the rest is margin.
  for (int round = 0; round < 8; ++round) {
    settle();
    peer.exchange();
  }
  settle();
}

}  // namespace h2park::test
