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

/// Errors: the system's reason, or "no answer within 5s".
class DeadlineSocket {
 public:
  /// Tries one address after the other; the error is the last one's.
  /// Requires: `addresses` is not empty.
  static Result<DeadlineSocket> connect(const std::vector<net::SocketAddress>& addresses, Duration timeout);

  Result<> send(std::string_view bytes);
  /// Some bytes; 0 at the end.
  Result<std::size_t> receive(std::span<char> room);

 private:
  explicit DeadlineSocket(Duration timeout) : timeout_(timeout), deadline_(Clock::now() + timeout) {}
  Result<> connect(const net::SocketAddress& address);
  Result<> wait(short events) const;

  Duration timeout_;
  TimePoint deadline_;
  net::UniqueFd socket_;
};

}  // namespace h2park::readout
