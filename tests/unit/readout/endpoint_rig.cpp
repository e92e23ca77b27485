#include "endpoint_rig.hpp"

#include <gtest/gtest.h>

namespace h2park::readout::testing {

StatsSources sources() {
  return {.snapshot =
              [] {
                stats::Snapshot snapshot;
                snapshot.server.version = "1.2.3";
                return snapshot;
              },
          .healthy = [] { return true; }};
}

std::unique_ptr<StatsEndpoint> start(const net::Endpoint& endpoint, const StatsEndpointOptions& options) {
  auto started = StatsEndpoint::start(endpoint, sources(), options);
  EXPECT_TRUE(started) << started.error().message;
  return std::move(*started);
}

bool is_ok(std::string_view answer) { return answer.starts_with("HTTP/1.1 200 OK\r\n"); }

}  // namespace h2park::readout::testing
