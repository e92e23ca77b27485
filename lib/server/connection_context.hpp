// ConnectionContext: what the connections of one worker share.
#pragma once

#include "base/clock.hpp"
#include "http/handler.hpp"
#include "server/options.hpp"
#include "stats/counters.hpp"

#include <cstddef>
#include <span>

namespace h2park::http2 {
class SessionFactory;
}

namespace h2park::server {

class Deadlines;
class Gate;
class Lot;

/// How far the server's stop has come.
enum class StopPhase : std::uint8_t {
  kRunning,
  kGraceful,  ///< no new work; streams may finish
  kCancel,    ///< the grace period is over
};

/// What the wake under way is measured by.
struct WakeMark {
  TimePoint readable_since;                    ///< when the lot said so, for all that it named together
  stats::Depth depth = stats::Depth::kActive;  ///< of the connection that is being woken
  bool handler_awaited = false;                ///< its client woke it, and no handler has started since
};

/// Lifetime: the worker's; outlives its connections. Thread: the worker's.
struct ConnectionContext {
  // constant after construction
  const Options& options;
  Lot& lot;
  Gate& gate;
  Deadlines& deadlines;
  stats::ThreadCounters& counters;
  /// Input is read here and consumed at once; output is gathered there and sent at once. No connection owns
  /// either.
  std::span<std::byte> read_buffer;
  std::span<std::byte> gather_buffer;
  http2::SessionFactory& http2_sessions;
  TimeSource& time;
  /// What answers requests; another one while a worker makes its sample connections.
  const http::Handler* handler;
  // changes once each way
  StopPhase stop = StopPhase::kRunning;
  // this wake's
  WakeMark wake = {};
};

}  // namespace h2park::server
