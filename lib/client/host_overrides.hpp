// HostOverrides: what --resolve and --connect-to say about where names lead, with curl's rules.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/socket_address.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::client {

class HostOverrides {
 public:
  /// How long an address given with '+' is used; curl's.
  static constexpr std::chrono::seconds kTimedLife{60};

  /// "HOST:PORT:ADDRESS[,ADDRESS]...": HOST at PORT has these addresses. HOST may be "*" for any that has no
  /// entry of its own. "+HOST:..." forgets it after kTimedLife; "-HOST:PORT" takes an earlier one back; a
  /// later one replaces an earlier one. IPv6 stands in brackets, as an ADDRESS also without. Errors (usage):
  /// one line, for behind "--resolve: ".
  Result<> add_resolve(std::string_view text);

  /// "HOST1:PORT1:HOST2:PORT2": for HOST1 at PORT1 connect to HOST2 at PORT2. Empty parts: any, and
  /// unchanged. The first that fits counts. IPv6 stands in brackets. Errors (usage): one line, for behind
  /// "--connect-to: ".
  Result<> add_connect_to(std::string_view text);

  struct Target {
    std::string host;
    std::uint16_t port = 0;
    bool operator==(const Target&) const = default;
  };
  /// Where to connect instead of `origin`, by --connect-to: itself if nothing was said. Requires: host as in
  /// Origin.
  Target target(const Target& origin) const;

  /// The addresses of `target` by --resolve, or null. `age`: for how long the run has been going on.
  const std::vector<net::SocketAddress>* addresses(const Target& target, Duration age) const;

 private:
  struct Addresses {
    Target of;  // host "*": any
    bool timed = false;
    std::vector<net::SocketAddress> addresses;
  };
  struct Detour {
    Target from;  // host "", port 0: any
    Target to;    // host "", port 0: unchanged
  };

  void forget(const Target& target);

  std::vector<Addresses> addresses_;
  std::vector<Detour> detours_;
};

}  // namespace h2park::client
