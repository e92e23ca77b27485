#include "net/connector.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <optional>
#include <utility>

namespace h2park::net {
namespace {

// A unix socket whose backlog is full refuses a non-blocking connect(2) and tells nobody when there is room
// again, while TCP would repeat its SYN. So it is asked again, this much later.
constexpr std::chrono::milliseconds kBacklogPause{10};

/// RFC 8305 4: the first address's family, the other, the first again ... each in its own order.
std::vector<SocketAddress> interleaved(std::vector<SocketAddress> addresses) {
  const int first = addresses.front().family();
  const auto is_first = [first](const SocketAddress& a) { return a.family() == first; };
  const auto others = std::ranges::stable_partition(addresses, is_first);
  std::vector<SocketAddress> out;
  auto a = addresses.begin();
  auto b = others.begin();
  while (a != others.begin() || b != addresses.end()) {
    if (a != others.begin()) out.push_back(*a++);
    if (b != addresses.end()) out.push_back(*b++);
  }
  return out;
}

Result<UniqueFd> open_socket(const SocketAddress& address) {
  UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return system_failure("connect to " + address.text(), errno);
  if (address.family() != AF_UNIX) {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return socket;
}

}  // namespace

class Connector::Attempts {
 public:
  Attempts(Reactor& reactor, std::vector<SocketAddress> addresses, OnConnected on_connected)
      : reactor_(reactor),
        addresses_(interleaved(std::move(addresses))),
        on_connected_(std::move(on_connected)),
        next_in_time_(reactor.timers(), [this] { start_next(); }),
        report_(reactor.timers(), [this] { finish(std::unexpected(*first_error_)); }) {}

  /// Goes through the addresses until one waits for its answer or is connected. Lifetime: the callback may
  /// have ended `this`.
  void start_next() {
    next_in_time_.clear();
    while (next_ < addresses_.size()) {
      const SocketAddress& address = addresses_[next_++];
      auto socket = open_socket(address);
      if (!socket) {
        failed(socket.error());
        continue;
      }
      attempts_.emplace_back(*this, address, std::move(*socket));
      Attempt& attempt = attempts_.back();
      const int error = attempt.connect();
      if (error == 0) return finish(attempt.take());
      if (attempt.waits(error)) {
        if (next_ < addresses_.size()) next_in_time_.set(reactor_.time().now() + kAttemptDelay);
        return;
      }
      failed(attempt.error(error));
      attempts_.pop_back();
    }
    // From start() too this is told in a later turn.
    if (attempts_.empty()) report_.set(reactor_.time().now());
  }

 private:
  class Attempt final : public ReadyListener {
   public:
    Attempt(Attempts& all, const SocketAddress& address, UniqueFd socket)
        : all_(all), address_(address), socket_(std::move(socket)) {}

    /// 0: connected. Asking again tells what has become of it, whatever woke us.
    int connect() const {
      if (::connect(socket_.get(), address_.get(), address_.size) == 0 || errno == EISCONN) return 0;
      return errno;
    }

    /// False: `error` is a failure. True: it will be asked again when it may have changed.
    bool waits(int error) {
      if (error == EINPROGRESS || error == EALREADY || error == EINTR) {
        if (!watch_) watch_ = all_.reactor_.watch(socket_.get(), *this);
        watch_->want_write();
        return true;
      }
      if (error != EAGAIN || address_.family() != AF_UNIX) return false;
      if (!pause_) pause_.emplace(all_.reactor_.timers(), [this] { ask_again(); });
      pause_->set(all_.reactor_.time().now() + kBacklogPause);
      return true;
    }

    Error error(int number) const { return system_failure("connect to " + address_.text(), number).error(); }

    UniqueFd take() {
      watch_.reset();
      return std::move(socket_);
    }

    void on_readable() override {}
    void on_writable() override { ask_again(); }

   private:
    void ask_again() {
      const int result = connect();
      if (result == 0) return all_.finish(take());
      if (!waits(result)) all_.give_up(*this, result);
    }

    Attempts& all_;
    const SocketAddress address_;
    UniqueFd socket_;
    std::unique_ptr<Watch> watch_;  // after the socket, so that it goes first
    std::optional<Timer> pause_;
  };

  void failed(Error error) {
    if (!first_error_) first_error_ = std::move(error);
  }

  void give_up(Attempt& attempt, int error) {
    failed(attempt.error(error));
    const bool newest = &attempt == &attempts_.back();
    attempts_.remove_if([&](const Attempt& a) { return &a == &attempt; });
    if (newest) start_next();
  }

  void finish(Result<UniqueFd> result) {
    next_in_time_.clear();
    attempts_.clear();
    // Moved out, and the last thing done here: it may end the Connector.
    OnConnected call = std::move(on_connected_);
    call(std::move(result));
  }

  Reactor& reactor_;
  const std::vector<SocketAddress> addresses_;
  OnConnected on_connected_;
  std::size_t next_ = 0;
  std::list<Attempt> attempts_;  // those that wait, in the order of their start
  std::optional<Error> first_error_;
  Timer next_in_time_;
  Timer report_;
};

Connector::Connector(Reactor& reactor, std::vector<SocketAddress> addresses, OnConnected on_connected)
    : attempts_(std::make_unique<Attempts>(reactor, std::move(addresses), std::move(on_connected))) {}

Connector::~Connector() = default;

void Connector::start() { attempts_->start_next(); }

}  // namespace h2park::net
