#include "net/socket_address.hpp"

#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace h2park::net {
namespace {

std::unexpected<Error> reason(int error_number) {
  return fail(std::generic_category().message(error_number));
}

SocketAddress unix_address(const std::string& path) {
  SocketAddress address;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  std::memcpy(&address.storage, &un, sizeof un);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

const sockaddr_in& as_v4(const SocketAddress& a) { return reinterpret_cast<const sockaddr_in&>(a.storage); }
const sockaddr_in6& as_v6(const SocketAddress& a) { return reinterpret_cast<const sockaddr_in6&>(a.storage); }

bool is_mapped_v4(const SocketAddress& a) {
  return a.family() == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&as_v6(a).sin6_addr);
}

SocketAddress unmapped(const SocketAddress& a) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = as_v6(a).sin6_port;
  std::memcpy(&v4.sin_addr, &as_v6(a).sin6_addr.s6_addr[12], 4);
  SocketAddress out;
  std::memcpy(&out.storage, &v4, sizeof v4);
  out.size = sizeof v4;
  return out;
}

std::string unix_text(const SocketAddress& a) {
  const auto& un = reinterpret_cast<const sockaddr_un&>(a.storage);
  const std::size_t room =
      a.size > offsetof(sockaddr_un, sun_path) ? a.size - offsetof(sockaddr_un, sun_path) : 0;
  if (room == 0) return "unix";
  if (un.sun_path[0] == '\0') return "unix:@" + std::string(un.sun_path + 1, room - 1);  // abstract
  return "unix:" + std::string(un.sun_path, strnlen(un.sun_path, room));
}

bool same(const SocketAddress& a, const SocketAddress& b) {
  return a.size == b.size && std::memcmp(&a.storage, &b.storage, a.size) == 0;
}

/// getaddrinfo() calls an interface that does not exist an unknown name; the system has a better reason.
Result<> check_scope(const std::string& host) {
  const auto percent = host.find('%');
  if (percent == std::string::npos) return {};
  const std::string scope = host.substr(percent + 1);
  const bool index = std::ranges::all_of(scope, [](char c) { return c >= '0' && c <= '9'; });
  if (!index && ::if_nametoindex(scope.c_str()) == 0) return reason(errno);
  return {};
}

}  // namespace

std::uint16_t SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(as_v4(*this).sin_port);
  if (family() == AF_INET6) return ntohs(as_v6(*this).sin6_port);
  return 0;
}

void SocketAddress::set_port(std::uint16_t port) {
  if (family() == AF_INET) reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
}

bool SocketAddress::is_loopback() const {
  if (is_mapped_v4(*this)) return unmapped(*this).is_loopback();
  if (family() == AF_INET) return (ntohl(as_v4(*this).sin_addr.s_addr) >> 24) == 127;
  if (family() == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&as_v6(*this).sin6_addr);
  return family() == AF_UNIX;
}

std::string SocketAddress::text() const {
  if (family() == AF_UNIX) return unix_text(*this);
  if (is_mapped_v4(*this)) return unmapped(*this).text();
  char host[NI_MAXHOST];
  if (::getnameinfo(get(), size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) return "unknown";
  return Endpoint{.host = host, .port = port()}.text();
}

Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint, int family) {
  if (endpoint.is_unix()) {
    if (endpoint.unix_path.size() > kMaxUnixPath) return reason(ENAMETOOLONG);
    return std::vector{unix_address(endpoint.unix_path)};
  }
  if (auto known = check_scope(endpoint.host); !known) return std::unexpected(known.error());
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = ::getaddrinfo(endpoint.host.c_str(), nullptr, &hints, &list);
  if (code == EAI_SYSTEM) return reason(errno);
  if (code != 0) return fail(::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype([](addrinfo* p) { ::freeaddrinfo(p); })> owner(list);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    SocketAddress address;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
    address.set_port(endpoint.port);
    if (std::ranges::none_of(addresses, [&](const SocketAddress& a) { return same(a, address); })) {
      addresses.push_back(address);
    }
  }
  if (addresses.empty()) return fail(::gai_strerror(EAI_NONAME));
  return addresses;
}

Result<SocketAddress> local_address(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getsockname(fd, address.get(), &address.size) != 0) return reason(errno);
  return address;
}

std::string peer_address(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getpeername(fd, address.get(), &address.size) != 0) return "unknown";
  if (address.family() == AF_UNIX) return "unix";
  return address.text();
}

}  // namespace h2park::net
