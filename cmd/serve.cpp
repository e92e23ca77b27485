#include "cmd/serve.hpp"

#include "base/log.hpp"
#include "cmd/serve_settings.hpp"
#include "readout/stats_endpoint.hpp"
#include "server/server.hpp"

#include <memory>
#include <string>

namespace h2park::cmd {

namespace {

Result<std::unique_ptr<readout::StatsEndpoint>> start_stats(const ServeSettings& settings,
                                                            server::Server& server) {
  if (!settings.stats) return nullptr;
  readout::StatsSources sources;
  sources.snapshot = [&server] { return server.snapshot(); };
  sources.healthy = [&server] { return !server.stopping(); };
  sources.depths = [&server] { return server.depths(); };
  return readout::StatsEndpoint::start(*settings.stats, std::move(sources), {.token = settings.stats_token});
}

// Scripts wait for these lines: man h2park-serve names them.
void announce(const server::Server& server, const readout::StatsEndpoint* stats) {
  for (const std::string& address : server.listening()) log::info("listening on " + address);
  if (const std::string print = server.fingerprint(); !print.empty()) {
    log::info("self-signed certificate, SHA-256 fingerprint " + print);
  }
  if (stats != nullptr) log::info("stats on " + stats->endpoint().text());
}

}  // namespace

Result<> serve(const Values& values) {
  const Result<ServeSettings> settings = parse_serve(values);
  if (!settings) return std::unexpected(settings.error());
  log::set_up(settings->log_level);
  auto server = server::Server::open(settings->server);
  if (!server) return std::unexpected(server.error());
  auto stats = start_stats(*settings, **server);
  if (!stats) return std::unexpected(stats.error());
  announce(**server, stats->get());
  (*server)->run();
  return {};
}

}  // namespace h2park::cmd
