// StatsEndpoint: /stats.json, /metrics, /healthz and the dashboard over HTTP/1.1, on a thread of its own, so
// that a person who looks costs the serving threads nothing but what the snapshot asks of them.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/endpoint.hpp"
#include "stats/depths.hpp"
#include "stats/snapshot.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace h2park::readout {

struct StatsEndpointOptions {
  /// From a request's first byte to its answer's last. Longer helps only a client that is stuck.
  Duration request_timeout = std::chrono::seconds(10);
  /// Between requests on one connection. Longer than the usual interval of a scraper, 15 to 60 seconds.
  Duration idle_timeout = std::chrono::seconds(75);
  /// A few people and scrapers. One more takes the place of the connection that has been idle longest; if all
  /// are busy it waits.
  std::size_t max_connections = 64;
  /// Of these, those that watch /live, for as long as they like; one more is refused. Others find room.
  std::size_t max_streams = 32;
  /// What a request for anything but /healthz has to show (readout/token_guard.hpp); "": nothing, and then
  /// only this machine is answered. It goes over the wire as it is: the network has to be one's own, or a
  /// proxy with TLS in front.
  std::string token = {};
};

struct StatsSources {
  /// Requires: returns within a moment: the destructor of the endpoint waits for it.
  std::function<stats::Snapshot()> snapshot;
  /// False once the server is shutting down.
  std::function<bool()> healthy;
  /// Requires: as for `snapshot`. Asked only while somebody watches /live; without it there are no places.
  std::function<stats::Depths()> depths = [] { return stats::Depths{}; };
};

class StatsEndpoint {
 public:
  /// Listens and starts the thread, which has all signals blocked and runs `sources` until the end.
  /// A unix socket gets mode 0600.
  /// Errors: a failure that names the address and the system's reason; a usage error for an address that
  /// others than this machine can reach, without a token.
  static Result<std::unique_ptr<StatsEndpoint>> start(const net::Endpoint& endpoint, StatsSources sources,
                                                      const StatsEndpointOptions& options = {});
  /// Stops without waiting for clients, joins the thread, removes the unix socket's file.
  ~StatsEndpoint();
  StatsEndpoint(const StatsEndpoint&) = delete;
  StatsEndpoint& operator=(const StatsEndpoint&) = delete;

  /// What it listens on, with the real port.
  const net::Endpoint& endpoint() const;

 private:
  class Impl;
  explicit StatsEndpoint(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace h2park::readout
