#include "cmd/serve_settings.hpp"

#include "base/cpu_count.hpp"
#include "cmd/option_reader.hpp"
#include "readout/stats_token.hpp"

#include <algorithm>
#include <limits>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

// A thread has an epoll set, a read buffer and a listening socket of its own: more than this is a slip.
constexpr std::uint64_t kMostThreads = 1024;
// A stream id has 31 bits and clients use every second one (RFC 9113 5.1.1).
constexpr std::uint64_t kMostStreams = (1U << 30) - 1;
constexpr std::uint64_t kMostFields = 100'000;
// Below it no browser's request gets through; above it one request could take a connection's share of memory.
constexpr std::uint64_t kLeastHeaderBytes = 1024;
constexpr std::uint64_t kMostHeaderBytes = 16 * 1024 * 1024;

std::optional<net::Endpoint> read_endpoint(OptionReader& reader, std::string_view option,
                                           std::string_view text) {
  const auto parsed = net::parse_endpoint(text);
  if (parsed) return *parsed;
  reader.wrong(option, parsed.error().message);
  return std::nullopt;
}

void read_addresses(OptionReader& reader, ServeSettings& settings) {
  std::vector<std::string> plain = reader.all("listen");
  if (plain.empty() && !reader.given("tls-listen")) plain.emplace_back(reader.text("listen"));
  std::vector<net::Endpoint> taken;
  const auto add = [&](std::string_view option, std::string_view text) -> std::optional<net::Endpoint> {
    auto endpoint = read_endpoint(reader, option, text);
    if (!endpoint) return std::nullopt;
    // Port 0 is another port each time.
    const bool fixed = endpoint->is_unix() || endpoint->port != 0;
    if (fixed && std::ranges::find(taken, *endpoint) != taken.end()) {
      reader.wrong(option, endpoint->text() + " is given more than once");
    }
    taken.push_back(*endpoint);
    return endpoint;
  };
  for (const std::string& text : plain) {
    if (const auto endpoint = add("listen", text)) settings.server.listen.push_back(*endpoint);
  }
  for (const std::string& text : reader.all("tls-listen")) {
    if (const auto endpoint = add("tls-listen", text)) settings.server.tls_listen.push_back(*endpoint);
  }
  if (const std::string_view stats = reader.text("stats"); stats != "off") {
    settings.stats = add("stats", stats);
  }
}

void read_stats_token(OptionReader& reader, ServeSettings& settings) {
  if (reader.given("stats-token")) {
    auto token = readout::parse_stats_token(reader.text("stats-token"));
    if (!token) return reader.wrong("stats-token", token.error().message, token.error().exit);
    settings.stats_token = std::move(*token);
    if (!settings.stats) reader.wrong("stats-token", "does not go with --stats off");
  } else if (settings.stats && !net::is_loopback(*settings.stats)) {
    reader.wrong("stats", settings.stats->text() + " is not a loopback address and needs --stats-token");
  }
}

void read_tls(OptionReader& reader, server::TlsOptions& tls) {
  tls.certificate = reader.text("cert");
  tls.key = reader.text("key");
  tls.self_signed = reader.given("self-signed");
  if (!reader.given("tls-listen")) {
    for (const std::string_view option : {"cert", "key", "self-signed"}) {
      if (reader.given(option)) reader.wrong(option, "needs --tls-listen");
    }
    return;
  }
  if (tls.self_signed && reader.given("cert")) return reader.wrong("self-signed", "does not go with --cert");
  if (tls.self_signed && reader.given("key")) return reader.wrong("self-signed", "does not go with --key");
  if (tls.self_signed) return;
  if (!reader.given("cert") && !reader.given("key")) {
    return reader.wrong("tls-listen", "needs --cert and --key, or --self-signed");
  }
  if (!reader.given("cert")) reader.wrong("key", "needs --cert");
  if (!reader.given("key")) reader.wrong("cert", "needs --key");
}

void read_capacity(OptionReader& reader, server::Options& options) {
  options.threads = cpu_count();
  if (reader.given("threads")) reader.count("threads", 1, kMostThreads, options.threads);
  if (reader.given("max-connections")) {
    reader.count("max-connections", 1, std::numeric_limits<std::uint32_t>::max(), options.max_connections);
  }
  options.parking.enabled = reader.text("park") == "on";
  reader.duration("park-after", Duration::zero(), options.parking.park_after);
  if (reader.text("freeze-after") == "never") {
    options.parking.freeze_after.reset();
  } else {
    reader.duration("freeze-after", Duration::zero(), options.parking.freeze_after.emplace());
  }
  if (!options.parking.enabled && reader.given("freeze-after"))
    reader.wrong("freeze-after", "does not go with --park=off");
  if (!options.parking.enabled && reader.given("park-after"))
    reader.wrong("park-after", "does not go with --park=off");
}

void read_limits(OptionReader& reader, server::Options& options) {
  http::SessionOptions& session = options.session;
  reader.count("max-streams", 1, kMostStreams, session.max_streams);
  reader.size("max-header-bytes", kLeastHeaderBytes, kMostHeaderBytes, session.max_header_bytes);
  reader.count("max-header-fields", 1, kMostFields, session.max_header_fields);
  reader.size("max-body-bytes", 0, std::numeric_limits<std::int64_t>::max(), options.handlers.max_body_bytes);
}

void read_timeouts(OptionReader& reader, server::Options& options) {
  // Zero would end a connection before it could do anything; "never" is not on offer: it lets dead peers pile
  // up.
  constexpr Duration kLeast = 1ms;
  reader.duration("handshake-timeout", kLeast, options.timeouts.handshake);
  reader.duration("preface-timeout", kLeast, options.session.settings_timeout);
  reader.duration("header-timeout", kLeast, options.session.header_timeout);
  reader.duration("idle-timeout", kLeast, options.session.idle_timeout);
  reader.duration("write-timeout", kLeast, options.timeouts.write);
  options.session.write_timeout = options.timeouts.write;
  reader.duration("grace", Duration::zero(), options.timeouts.grace);
}

void read_content_and_logs(OptionReader& reader, ServeSettings& settings) {
  settings.server.handlers.root = reader.text("root");
  const std::string_view format = reader.text("access-log");
  settings.server.access_log.format = format == "off"    ? handlers::AccessLogFormat::kOff
                                      : format == "json" ? handlers::AccessLogFormat::kJson
                                                         : handlers::AccessLogFormat::kText;
  settings.server.access_log.file = reader.text("access-log-file");
  if (format == "off" && reader.given("access-log-file")) {
    reader.wrong("access-log-file", "does not go with --access-log off");
  }
  settings.log_level = log::parse_level(reader.text("log-level")).value_or(log::Level::kInfo);
}

}  // namespace

Result<ServeSettings> parse_serve(const Values& values) {
  OptionReader reader(values);
  ServeSettings settings;
  read_capacity(reader, settings.server);
  read_limits(reader, settings.server);
  read_timeouts(reader, settings.server);
  read_content_and_logs(reader, settings);
  read_tls(reader, settings.server.tls);
  read_addresses(reader, settings);
  read_stats_token(reader, settings);
  if (reader.fault()) return std::unexpected(*reader.fault());
  return settings;
}

}  // namespace h2park::cmd
