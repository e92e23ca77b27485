// Connector: a TCP or unix connection, dialled without blocking.
//
// 1. Addresses are tried in the resolver's order with the families interleaved (RFC 8305 4).
// 2. The next one is started when the one before failed, or kAttemptDelay after it was started (RFC 8305 5);
//    the first to be connected wins and the others are closed.
// 3. All failed: the first failure is what is told.
#pragma once

#include "base/error.hpp"
#include "net/reactor.hpp"
#include "net/socket_address.hpp"
#include "net/unique_fd.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace h2park::net {

/// RFC 8305 8 recommends 250 ms; curl takes 200.
inline constexpr std::chrono::milliseconds kAttemptDelay{250};

/// One connection attempt over all addresses of a name. Destroying it gives up and closes what it had begun.
/// Thread: the reactor's.
class Connector {
 public:
  using OnConnected = std::move_only_function<void(Result<UniqueFd>)>;

  /// Calls `on_connected` once, in a later turn or, where the kernel connects at once, from start(). The
  /// socket is non-blocking, close-on-exec and, if TCP, without Nagle's delay. Requires: `addresses` is not
  /// empty. Errors: "connect to 127.0.0.1:80: Connection refused".
  Connector(Reactor& reactor, std::vector<SocketAddress> addresses, OnConnected on_connected);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  void start();

 private:
  class Attempts;
  std::unique_ptr<Attempts> attempts_;
};

}  // namespace h2park::net
