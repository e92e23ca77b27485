// Dialer: makes connections to an origin: name, TCP, proxy, TLS.
//
// An interface, so that the pool's tests can script what is dialled; the real one is
// client/network_dialer.hpp.
#pragma once

#include "base/clock.hpp"
#include "client/failure.hpp"
#include "client/url.hpp"
#include "net/transport.hpp"

#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace h2park::client {

/// Each not earlier than the one before; a phase that did not happen has the time of the one before.
struct DialTimes {
  TimePoint begin;
  TimePoint resolved;
  TimePoint connected;
  TimePoint secured;
};

struct Dialled {
  std::unique_ptr<net::Transport> transport;  ///< its handshake is done
  DialTimes times;
  std::string remote;
  std::string local;
  long verify_result = 0;
  unsigned proxy_status = 0;  ///< of the answer to CONNECT; 0: none
  std::string notes;          ///< lines for -v: addresses tried, TLS version, certificate
};

/// Thread: the client's reactor's.
class Dialer {
 public:
  using OnDialled = std::move_only_function<void(std::expected<Dialled, Failure>)>;

  virtual ~Dialer() = default;
  /// Calls `on_dialled` once, in a later turn or before it returns; not at all once the returned handle is
  /// destroyed, which gives the attempt up.
  virtual std::shared_ptr<void> dial(const Origin& origin, OnDialled on_dialled) = 0;
};

}  // namespace h2park::client
