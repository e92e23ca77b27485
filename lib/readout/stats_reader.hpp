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

struct StatsQuery {
  /// For connecting and the answer together; name lookup is not included.
  Duration timeout = std::chrono::seconds(5);
  /// Sent as `Authorization: Bearer`; "": none. Requires: read by parse_stats_token(), or "".
  std::string token = {};
  /// The reading ends at once, with an error, when this descriptor is readable; -1: never.
  int stop_fd = -1;
};

/// Asks once. Blocks for at most `query.timeout`, name lookup not included.
/// Errors: "cannot read stats from ADDRESS: reason", one line; the reason is the system's, or says that it
/// wants another token, or that whoever listens there is not the stats endpoint of h2park.
Result<StatsAnswer> read_stats(const net::Endpoint& endpoint, const StatsQuery& query = {});

}  // namespace h2park::readout
