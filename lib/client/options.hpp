// What a client's user can set; each default with its reason.
#pragma once

#include "base/clock.hpp"
#include "client/proxy.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace h2park::client {

class CookieJar;

struct DrainOptions {
  /// Off: an unread body closes its connection, as most clients do.
  bool enabled = true;
  /// Go 1.27's bounds: reading on is cheaper than a new TCP connection up to about this much.
  std::uint64_t bytes = 256 * 1024;
  /// About a handshake with a server on the same continent: a slower rest is not worth waiting for.
  Duration time = std::chrono::milliseconds(50);
};

struct PoolOptions {
  /// Idle connections kept over all origins; the one that was idle longest goes. Go keeps 100.
  std::size_t max_idle = 100;
  /// Go's 90 s; servers and middle boxes seldom keep them much longer.
  Duration idle_timeout = std::chrono::seconds(90);
};

struct RetryOptions {
  unsigned attempts =
      0;  ///< --retry: after transient failures (curl's list: timeouts, 408, 429, 500, 502-504)
  Duration first_delay = std::chrono::seconds(1);  ///< doubled each time, as curl does; Retry-After is obeyed
  Duration longest_delay = std::chrono::minutes(10);
};

struct Options {
  DrainOptions drain;
  PoolOptions pool;
  RetryOptions retry;
  ProxySettings proxies;
  /// Cookies are sent from it and stored in it, with every exchange; null: neither. Lifetime: the client's.
  CookieJar* cookies = nullptr;
  /// Name, TCP, proxy and TLS together; curl's default.
  Duration connect_timeout = std::chrono::seconds(300);
  /// Of a whole request, with redirects and retries; Duration::max(): none.
  Duration total_timeout = Duration::max();
  bool follow_redirects = false;
  unsigned max_redirects = 50;  ///< curl's default
  /// Credentials and cookies given for the first URL go to other origins too. No: curl's rule.
  bool trust_redirects = false;
  /// How long a request with Expect: 100-continue waits before its body is sent all the same (RFC
  /// 9110 10.1.1); curl's default.
  Duration expect_timeout = std::chrono::seconds(1);
};

}  // namespace h2park::client
