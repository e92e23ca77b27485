// SocketAddress: a socket's address as the kernel has it, its text, and the addresses that an endpoint names.
#pragma once

#include "base/error.hpp"
#include "net/endpoint.hpp"

#include <sys/socket.h>

#include <cstddef>
#include <string>
#include <vector>

namespace h2park::net {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  /// 0 for other families than IPv4 and IPv6.
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  /// 127.0.0.0/8, ::1, their IPv4-mapped form, and unix sockets.
  bool is_loopback() const;
  /// "127.0.0.1:8080", "[fe80::1%eth0]:8080", "unix:/run/x.sock", "unix". An IPv4-mapped address (a client of
  /// a dual-stack listener) is shown as the IPv4 address that it is.
  std::string text() const;
};

/// A path of a unix socket is at most this long: sun_path ends with a zero byte.
inline constexpr std::size_t kMaxUnixPath = 107;

/// Every address of `endpoint`, each once, in the resolver's order. May ask DNS, so it may wait: for start
/// only. Errors: the system's reason alone ("Name or service not known", "No such device"), for the caller to
/// prefix.
/// `family`: AF_INET or AF_INET6 asks for these alone.
Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint, int family = AF_UNSPEC);

/// The address that `fd` is bound to. Errors: the system's reason.
Result<SocketAddress> local_address(int fd);

/// The peer of a connected socket: "127.0.0.1:40312", "[::1]:40312", "unix"; "unknown" once it is no longer
/// connected. Asks the kernel each time, so that no connection has to keep the text.
std::string peer_address(int fd);

}  // namespace h2park::net
