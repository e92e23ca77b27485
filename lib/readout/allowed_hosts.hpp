// AllowedHosts: which Host values the statistics are given to.
//
// A page that a person visits may point its own name at 127.0.0.1 (DNS rebinding) and then read what listens
// there as if it were its own. Its requests carry its name, so a name that is not ours is refused. A number
// that is not ours is refused too: it costs nothing and leaves no question. Where a token guards the
// statistics, such a page does not have it, and people may call the machine as they like.
#pragma once

#include "net/endpoint.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace h2park::readout {

/// Thread: immutable.
class AllowedHosts {
 public:
  /// Allows `bound`'s host, localhost, 127.0.0.1 and [::1]; with `bound`'s port, or without one.
  /// For a unix socket everything is allowed: no page can reach it.
  explicit AllowedHosts(const net::Endpoint& bound);
  /// Allows everything.
  static AllowedHosts all() { return AllowedHosts(net::Endpoint{.unix_path = "any"}); }

  /// `host`: a Host field's value or a target's authority (RFC 9110 7.2).
  bool allow(std::string_view host) const;

 private:
  bool any_;
  std::string port_;
  std::vector<std::string> names_;  // canonical
};

}  // namespace h2park::readout
