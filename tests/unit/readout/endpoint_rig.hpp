// A stats endpoint for tests to talk to.
#pragma once

#include "raw_client.hpp"
#include "readout/stats_endpoint.hpp"

#include <memory>
#include <string_view>

namespace h2park::readout::testing {

inline const net::Endpoint kAnyPort{.host = "127.0.0.1", .port = 0};
inline constexpr std::string_view kGetHealth = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
inline constexpr std::string_view kGetStats = "GET /stats.json HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Version 1.2.3, in good health.
StatsSources sources();
/// Fails the test if it does not start.
std::unique_ptr<StatsEndpoint> start(const net::Endpoint& endpoint = kAnyPort,
                                     const StatsEndpointOptions& options = {});
bool is_ok(std::string_view answer);

}  // namespace h2park::readout::testing
