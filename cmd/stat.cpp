#include "cmd/stat.hpp"

namespace h2park::cmd {

Result<StatSettings> parse_stat(const Values& values) {
  const auto endpoint = net::parse_endpoint(values.text("ADDR"));
  if (!endpoint) return usage_error(complaint(values.spec(), "ADDR", endpoint.error().message));
  if (!endpoint->is_unix() && endpoint->port == 0) {
    return usage_error(complaint(values.spec(), "ADDR", "port 0 is nobody's"));
  }
  return StatSettings{.server = *endpoint, .json = values.text("format") == "json"};
}

Result<> stat(const Values& values) {
  const Result<StatSettings> settings = parse_stat(values);
  if (!settings) return std::unexpected(settings.error());
  // WIRING: the reader of lib/readout goes here.
  return fail("stat: not built yet");
}

}  // namespace h2park::cmd
