#include "cmd/stat.hpp"

namespace h2park::cmd {

Result<StatSettings> parse_stat(const Values& values) {
  const auto endpoint = net::parse_endpoint(values.text("ADDR"));
  if (!endpoint) return usage_error(complaint(values.spec(), "ADDR", endpoint.error().message));
  if (!endpoint->is_unix() && endpoint->port == 0) {
    return usage_error(complaint(values.spec(), "ADDR", "port 0 is nobody's"));
  }
  const bool json = values.text("format") == "json";
  return StatSettings{.server = *endpoint, .format = json ? StatFormat::kJson : StatFormat::kText};
}

Result<> stat(const Values& values) {
  const Result<StatSettings> settings = parse_stat(values);
  if (!settings) return std::unexpected(settings.error());
  return run_stat(settings->server, settings->format);
}

}  // namespace h2park::cmd
