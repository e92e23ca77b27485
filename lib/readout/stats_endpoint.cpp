#include "readout/stats_endpoint.hpp"

#include "base/log.hpp"
#include "net/listen_socket.hpp"
#include "net/socket_address.hpp"
#include "readout/stats_connection.hpp"
#include "readout/stats_site.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace h2park::readout {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// How long accepting pauses when descriptors have run out. The serving threads say so in the log.
constexpr std::chrono::milliseconds kAcceptPause{500};

/// A listener and Asio's eye on it. The descriptor belongs to `socket`.
struct Door {
  Door(asio::io_context& io, net::ListenSocket listener)
      : socket(std::move(listener)), readable(io, socket.descriptor()), pause(io) {}
  ~Door() { readable.release(); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  net::ListenSocket socket;
  asio::posix::stream_descriptor readable;
  asio::steady_timer pause;
  bool full = false;  ///< nobody waits at it until a connection closes
};

/// The thread starts with every signal blocked: they are for the thread that handles them.
std::jthread start_thread(auto run) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(std::move(run));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_setname_np(thread.native_handle(), "h2park-stats");
  return thread;
}

}  // namespace

class StatsEndpoint::Impl {
 public:
  Impl(net::Endpoint endpoint, std::vector<net::ListenSocket> listeners, StatsSources sources,
       const StatsEndpointOptions& options)
      : endpoint_(std::move(endpoint)),
        options_(options),
        site_(options.token.empty() ? AllowedHosts(endpoint_) : AllowedHosts::all(), sources.snapshot,
              std::move(sources.healthy), TokenGuard(options.token)) {
    site_.watch(std::make_unique<LiveFeed>(
        LiveFeed::Sources{.snapshot = std::move(sources.snapshot), .depths = std::move(sources.depths)},
        options_.max_streams, time_));
    for (net::ListenSocket& listener : listeners) doors_.emplace_back(io_, std::move(listener));
    for (Door& door : doors_) wait_at(door);
    thread_ = start_thread([this] { run(); });
  }
  ~Impl() {
    io_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const net::Endpoint& endpoint() const { return endpoint_; }

 private:
  void run();
  void wait_at(Door& door);
  void accept_at(Door& door);
  void pause_at(Door& door);
  void admit(net::UniqueFd socket, bool unix);
  bool make_room();
  void forget(const StatsConnection& connection);

  // constant after construction
  const net::Endpoint endpoint_;
  const StatsEndpointOptions options_;
  const LiveTime time_;
  StatsSite site_;

  // the thread's
  asio::io_context io_{1};
  std::list<Door> doors_;
  std::vector<std::shared_ptr<StatsConnection>> connections_;

  std::jthread thread_;
};

void StatsEndpoint::Impl::run() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception& e) {
      // No memory, most likely: the connection concerned ends at its deadline, the others go on.
      log::error(std::string("stats endpoint: ") + e.what());
    }
  }
}

void StatsEndpoint::Impl::wait_at(Door& door) {
  door.readable.async_wait(asio::posix::stream_descriptor::wait_read, [this, &door](error_code error) {
    if (!error) accept_at(door);
  });
}

/// Takes one client, because it may cost another its place: that is decided when somebody is known to wait.
void StatsEndpoint::Impl::accept_at(Door& door) {
  door.full = !make_room();
  if (door.full) return;
  net::Accepted accepted = door.socket.accept();
  switch (accepted.status) {
    case net::AcceptStatus::kConnection:
      wait_at(door);  // whatever becomes of this one
      return admit(std::move(accepted.socket), door.socket.is_unix());
    case net::AcceptStatus::kAborted:
    case net::AcceptStatus::kNone:
      return wait_at(door);
    case net::AcceptStatus::kOutOfDescriptors:
      return pause_at(door);
    case net::AcceptStatus::kBroken:
      log::error("stats endpoint: " + door.socket.text() + ": " +
                 std::generic_category().message(accepted.error));
  }
}

void StatsEndpoint::Impl::pause_at(Door& door) {
  door.pause.expires_after(kAcceptPause);
  door.pause.async_wait([this, &door](error_code error) {
    if (!error) accept_at(door);
  });
}

void StatsEndpoint::Impl::admit(net::UniqueFd socket, bool unix) {
  // Asio wants to know a family; nothing depends on which of TCP's it is.
  StatsConnection::Socket client(io_);
  client.assign({unix ? AF_UNIX : AF_INET, 0}, socket.get());
  socket.release();
  const StatsTimeouts timeouts{.idle = options_.idle_timeout, .request = options_.request_timeout};
  connections_.push_back(std::make_shared<StatsConnection>(
      std::move(client), site_, timeouts, [this](StatsConnection& closed) { forget(closed); }));
  connections_.back()->start();
}

/// False if all connections there may be are busy.
bool StatsEndpoint::Impl::make_room() {
  if (connections_.size() < options_.max_connections) return true;
  std::shared_ptr<StatsConnection> longest;
  for (const auto& connection : connections_) {
    const auto since = connection->idle_since();
    if (since && (!longest || since < longest->idle_since())) longest = connection;
  }
  if (longest) longest->close();
  return longest != nullptr;
}

void StatsEndpoint::Impl::forget(const StatsConnection& connection) {
  std::erase_if(connections_, [&](const auto& kept) { return kept.get() == &connection; });
  for (Door& door : doors_) {
    if (std::exchange(door.full, false)) wait_at(door);
  }
}

Result<std::unique_ptr<StatsEndpoint>> StatsEndpoint::start(const net::Endpoint& endpoint,
                                                            StatsSources sources,
                                                            const StatsEndpointOptions& options) {
  constexpr mode_t kOwnerOnly = 0600;
  auto listeners = net::listen_on(endpoint, 1, {.unix_mode = kOwnerOnly});
  if (!listeners) return fail("--stats: " + listeners.error().message);
  net::Endpoint bound = endpoint;
  for (const net::ListenSocket& listener : *listeners) {
    const auto address = net::local_address(listener.descriptor());
    if (!address) return fail("--stats: " + endpoint.text() + ": " + address.error().message);
    if (options.token.empty() && !address->is_loopback()) {
      return usage_error("--stats: " + endpoint.text() +
                         " can be reached from other machines and needs --stats-token; or give a loopback "
                         "address or unix:PATH");
    }
    bound.port = address->port();
  }
  return std::unique_ptr<StatsEndpoint>(new StatsEndpoint(
      std::make_unique<Impl>(std::move(bound), std::move(*listeners), std::move(sources), options)));
}

StatsEndpoint::StatsEndpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StatsEndpoint::~StatsEndpoint() = default;

const net::Endpoint& StatsEndpoint::endpoint() const { return impl_->endpoint(); }

}  // namespace h2park::readout
