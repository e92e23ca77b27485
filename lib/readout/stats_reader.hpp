// Reads the statistics of a running server: the client half of the stats endpoint.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/endpoint.hpp"
#include "stats/snapshot.hpp"

#include <cstddef>
#include <string>

namespace h2park::readout {

/// An answer of a real server has about 1.5 KiB; more than this is something else.
inline constexpr std::size_t kMaxStatsBytes = 1024 * 1024;

struct StatsAnswer {
  std::string json;  ///< as it came
  stats::Snapshot snapshot;
};

/// Asks once. Blocks for at most `timeout`, name lookup not included.
/// Errors: "cannot read stats from ADDRESS: reason", one line; the reason is the system's, or says that
/// whoever listens there is not the stats endpoint of h2park.
Result<StatsAnswer> read_stats(const net::Endpoint& endpoint, Duration timeout = std::chrono::seconds(5));

}  // namespace h2park::readout
