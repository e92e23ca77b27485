// 1. Resolve the endpoint to addresses.
// 2. For each address: bind the first share's socket alone, then let the other shares join it by
//    SO_REUSEPORT.
// 3. The first socket's port is everybody's. If port 0 gave one that is taken on a later address, start
//    again.
#include "net/listen_tcp.hpp"

#include "net/socket_address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace h2park::net {
namespace {

// The kernel cuts it to net.core.somaxconn, which is where the machine's owner sets it.
constexpr int kBacklog = 65535;
// A free port of one address is hardly ever taken on the next; a machine where that goes on is out of ports.
constexpr int kPortAttempts = 8;

struct Failure {
  int error_number;
};
template <class T>
using Try = std::expected<T, Failure>;

bool set_option(int fd, int level, int name) {
  const int on = 1;
  return ::setsockopt(fd, level, name, &on, sizeof on) == 0;
}

Try<UniqueFd> open_bound(const SocketAddress& address, bool first) {
  UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return std::unexpected(Failure{errno});
  const int fd = socket.get();
  const int off = 0;
  // Connections of a server that just ended (TIME_WAIT) must not keep the port from the next one.
  const bool ready =
      set_option(fd, SOL_SOCKET, SO_REUSEADDR) &&
      (address.family() != AF_INET6 || ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
      (first || set_option(fd, SOL_SOCKET, SO_REUSEPORT)) && ::bind(fd, address.get(), address.size) == 0 &&
      ::listen(fd, kBacklog) == 0 && (!first || set_option(fd, SOL_SOCKET, SO_REUSEPORT));
  if (!ready) return std::unexpected(Failure{errno});
  return socket;
}

/// All shares of one address. A port of 0 in `address` is replaced by the one that was chosen.
Try<std::vector<ListenSocket>> open_shares(SocketAddress& address, unsigned shares) {
  std::vector<ListenSocket> sockets;
  for (unsigned share = 0; share < shares; ++share) {
    auto socket = open_bound(address, share == 0);
    if (!socket) return std::unexpected(socket.error());
    const auto bound = local_address(socket->get());
    if (!bound) return std::unexpected(Failure{EINVAL});
    address = *bound;
    sockets.emplace_back(std::move(*socket), address.text(), share);
  }
  return sockets;
}

/// Not this machine's: its family is switched off, or (::1 on a machine without IPv6) the address is.
bool is_absent(const Failure& failure) {
  return failure.error_number == EAFNOSUPPORT || failure.error_number == EADDRNOTAVAIL;
}

Try<std::vector<ListenSocket>> open_all(std::vector<SocketAddress> addresses, unsigned shares) {
  std::vector<ListenSocket> sockets;
  Failure last{EADDRNOTAVAIL};
  std::uint16_t port = addresses.front().port();
  for (SocketAddress& address : addresses) {
    address.set_port(port);
    auto opened = open_shares(address, shares);
    if (!opened && !is_absent(opened.error())) return opened;
    if (!opened) {
      last = opened.error();
      continue;
    }
    port = address.port();
    for (ListenSocket& socket : *opened) sockets.push_back(std::move(socket));
  }
  if (sockets.empty()) return std::unexpected(last);
  return sockets;
}

}  // namespace

Result<std::vector<ListenSocket>> listen_tcp(const Endpoint& endpoint, unsigned shares) {
  const auto addresses = resolve(endpoint);
  if (!addresses) return std::unexpected(addresses.error());
  const int attempts = endpoint.port == 0 && addresses->size() > 1 ? kPortAttempts : 1;
  Failure last{};
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto opened = open_all(*addresses, shares);
    if (opened) return std::move(*opened);
    last = opened.error();
    if (last.error_number != EADDRINUSE) break;
  }
  return fail(std::generic_category().message(last.error_number));
}

}  // namespace h2park::net
