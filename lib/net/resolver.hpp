// Resolver: names to addresses without holding up the thread that asks.
#pragma once

#include "base/error.hpp"
#include "net/socket_address.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace h2park::net {

enum class Family : std::uint8_t { kAny, kIpv4, kIpv6 };

/// Thread: the reactor's.
class Resolver {
 public:
  using Addresses = std::vector<SocketAddress>;
  using OnResolved = std::move_only_function<void(Result<Addresses>)>;

  virtual ~Resolver() = default;
  /// Calls `on_resolved` once, in a later turn, with at least one address in the order of preference (RFC
  /// 6724), each with `port`; not at all once the returned handle is destroyed. A literal address needs no
  /// name service. Errors: the system's reason alone ("Name or service not known").
  virtual std::shared_ptr<void> resolve(const std::string& host, std::uint16_t port, Family family,
                                        OnResolved on_resolved) = 0;
};

}  // namespace h2park::net
