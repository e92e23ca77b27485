// What the kernel keeps for TCP sockets that belong to any process, by sock_diag(7).
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace h2park::stats {

/// INET_DIAG_SKMEMINFO of one socket.
struct TcpSocketMemory {
  std::uint64_t inode = 0;
  std::uint64_t queued = 0;    ///< received and not read, written and not acknowledged; bookkeeping included
  std::uint64_t reserved = 0;  ///< set aside for more of it (FWD_ALLOC), and for socket options
};

/// Calls `each` for every TCP socket of this network namespace that some process holds, IPv4 and IPv6.
/// Errors: the kernel has no sock_diag, or refuses it; one line.
Result<> for_each_tcp_socket(const std::function<void(const TcpSocketMemory&)>& each);

/// The parsing of one datagram of the answer. True at the end of it all.
/// Errors: the kernel's error; or "cut short".
Result<bool> parse_tcp_sockets(std::span<const std::byte> datagram,
                               const std::function<void(const TcpSocketMemory&)>& each);

}  // namespace h2park::stats
