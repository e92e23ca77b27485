// What `serve` can be told. Defaults are the flags' defaults; `man h2park-serve` is generated from the same
// table.
#pragma once

#include "base/clock.hpp"
#include "handlers/options.hpp"
#include "http/session.hpp"
#include "net/endpoint.hpp"

#include <optional>
#include <string>
#include <vector>

namespace h2park::server {

struct ParkingOptions {
  bool enabled = true;                     ///< --park; off: the serve coroutine waits on the socket
  Duration park_after = Duration::zero();  ///< --park-after; idle time before the serve coroutine goes
  /// --freeze-after; how long a connection is parked before its state is packed and its pages are given back.
  /// Nothing: never. A freeze and its thaw cost some 20 us of CPU, so a connection that is woken right after
  /// each freeze waits twice as long for the next one, up to a minute.
  std::optional<Duration> freeze_after = std::chrono::seconds(1);
};

struct TimeoutOptions {
  Duration handshake = std::chrono::seconds(10);  ///< TLS handshake
  Duration write = std::chrono::seconds(30);      ///< the socket takes nothing of what is queued
  Duration linger = std::chrono::seconds(2);      ///< lingering close after a refused upload (RFC 9112 9.6)
  Duration grace = std::chrono::seconds(10);  ///< --grace; from the stop signal to the cancelling of streams
};

struct TlsOptions {
  std::string certificate;   ///< PEM chain
  std::string key;           ///< PEM
  bool self_signed = false;  ///< made at start; its SHA-256 fingerprint is printed
};

struct Options {
  std::vector<net::Endpoint> listen;      ///< plain: h2c by prior knowledge and HTTP/1
  std::vector<net::Endpoint> tls_listen;  ///< ALPN h2, http/1.1
  TlsOptions tls;
  unsigned threads = 1;
  std::size_t max_connections = 0;  ///< 0: the descriptor limit less 64
  ParkingOptions parking;
  TimeoutOptions timeouts;
  http::SessionOptions session;
  handlers::Options handlers;
  handlers::AccessLogOptions access_log;
};

}  // namespace h2park::server
