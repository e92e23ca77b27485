// DeadlineSocket: a client's socket that blocks, with one deadline for all it does together.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/socket_address.hpp"
#include "net/unique_fd.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace h2park::readout {

/// Errors: the system's reason, "no answer within 5s", or "given up".
class DeadlineSocket {
 public:
  /// Tries one address after the other; the error is the last one's. Everything fails as soon as `stop_fd` is
  /// readable; -1: never. Requires: `addresses` is not empty. Lifetime: `stop_fd` stays open.
  static Result<DeadlineSocket> connect(const std::vector<net::SocketAddress>& addresses, Duration timeout,
                                        int stop_fd = -1);

  Result<> send(std::string_view bytes);
  /// Some bytes; 0 at the end.
  Result<std::size_t> receive(std::span<char> room);

 private:
  DeadlineSocket(Duration timeout, int stop_fd)
      : timeout_(timeout), deadline_(Clock::now() + timeout), stop_fd_(stop_fd) {}
  Result<> connect(const net::SocketAddress& address);
  Result<> wait(short events) const;

  Duration timeout_;
  TimePoint deadline_;
  int stop_fd_;
  net::UniqueFd socket_;
};

}  // namespace h2park::readout
