#include "cmd/get_settings.hpp"

#include "client/credentials.hpp"
#include "client/proxy.hpp"
#include "cmd/get_cookies.hpp"
#include "cmd/get_pace_settings.hpp"
#include "cmd/get_places.hpp"
#include "cmd/get_request.hpp"
#include "cmd/option_reader.hpp"

#include <limits>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

// A list in the pool, walked when it is full: more is a slip.
constexpr std::uint64_t kMostIdle = 1'000'000;
constexpr std::uint64_t kMostRetries = 1'000'000;

void read_redirects(OptionReader& reader, client::Options& options) {
  options.trust_redirects = reader.given("location-trusted");
  options.follow_redirects = options.trust_redirects || reader.given("location");
  if (reader.text("max-redirs") == "-1") {
    options.max_redirects = std::numeric_limits<unsigned>::max();
  } else {
    reader.count("max-redirs", 0, std::numeric_limits<std::int32_t>::max(), options.max_redirects);
  }
  if (reader.given("max-redirs") && !options.follow_redirects) reader.wrong("max-redirs", "needs --location");
}

void read_limits(OptionReader& reader, client::Options& options) {
  reader.count("retry", 0, kMostRetries, options.retry.attempts);
  reader.seconds("max-time", Duration::zero(), options.total_timeout);
  if (options.total_timeout == Duration::zero()) options.total_timeout = Duration::max();
  Duration connecting{};
  reader.seconds("connect-timeout", Duration::zero(), connecting);
  if (connecting > Duration::zero()) options.connect_timeout = connecting;
}

void read_pool(OptionReader& reader, client::Options& options) {
  options.drain.enabled = !reader.given("no-drain");
  reader.refuse_together("no-drain", "drain-bytes");
  reader.refuse_together("no-drain", "drain-time");
  reader.size("drain-bytes", 0, std::numeric_limits<std::int64_t>::max(), options.drain.bytes);
  reader.seconds("drain-time", Duration::zero(), options.drain.time);
  reader.count("max-idle", 0, kMostIdle, options.pool.max_idle);
  reader.seconds("idle-timeout", 1ms, options.pool.idle_timeout);
}

void read_proxy(OptionReader& reader, const Environment& environment, client::Options& options) {
  const auto variable = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "no_proxy" || name == "NO_PROXY") {
      return reader.given("noproxy") ? std::string(reader.text("noproxy")) : environment(name);
    }
    if (!reader.given("proxy")) return environment(name);
    return std::string(reader.text("proxy"));
  };
  auto proxies = client::ProxySettings::from_environment(variable);
  if (proxies) {
    options.proxies = std::move(*proxies);
  } else if (reader.given("proxy")) {
    reader.wrong("proxy", "is no URL of an HTTP proxy");
  } else {
    reader.wrong("proxy", proxies.error().message);
  }
}

void read_network(OptionReader& reader, client::Options& options, client::NetworkOptions& network) {
  reader.refuse_together("ipv4", "ipv6");
  if (reader.given("ipv4")) network.family = net::Family::kIpv4;
  if (reader.given("ipv6")) network.family = net::Family::kIpv6;
  for (const std::string& text : reader.all("resolve")) {
    if (const auto good = network.overrides.add_resolve(text); !good)
      reader.wrong("resolve", good.error().message);
  }
  for (const std::string& text : reader.all("connect-to")) {
    if (const auto good = network.overrides.add_connect_to(text); !good)
      reader.wrong("connect-to", good.error().message);
  }
  network.unix_path = reader.text("unix-socket");
  // It is where every request goes, whatever proxy the environment names.
  if (!network.unix_path.empty()) options.proxies = {};
  if (network.unix_path.size() > net::kMaxUnixPath) {
    reader.wrong("unix-socket",
                 "the path is too long (at most " + std::to_string(net::kMaxUnixPath) + " bytes)");
  }
  network.tls.verify = !reader.given("insecure");
  network.tls.ca_file = reader.text("cacert");
  network.tls.ca_directory = reader.text("capath");
  network.tls.certificate = reader.text("cert");
  network.tls.key = reader.text("key");
  if (reader.given("key") && !reader.given("cert")) reader.wrong("key", "needs --cert");
}

/// --user, or what stands in the URL.
void add_credentials(OptionReader& reader, client::Request& request) {
  if (!field_of(request, "authorization").empty()) return;
  client::Credentials who{request.url.user, request.url.password};
  if (reader.given("user")) {
    who = client::split_credentials(reader.text("user"));
  } else if (!request.url.has_credentials) {
    return;
  }
  request.fields.emplace(request.fields.begin(), "Authorization",
                         client::basic_authorization(who.user, who.password));
}

void read_targets(OptionReader& reader, GetSettings& settings) {
  client::Request prototype = read_request(reader);
  settings.cookies = read_cookies(reader, prototype);
  settings.client.cookies = settings.cookies.get();
  if (reader.given("user") && reader.text("user").find(':') == std::string_view::npos) {
    reader.wrong("user", "has no password (write 'NAME:' for an empty one)");
  }
  for (const std::string& written : reader.all("URL")) {
    const auto url = client::parse_url(written);
    if (!url) {
      reader.wrong("URL", url.error().message, Error::Exit::kBadUrl);
      continue;
    }
    GetTarget target{.written = written, .request = prototype, .place = {}};
    target.request.url = *url;
    add_credentials(reader, target.request);
    settings.targets.push_back(std::move(target));
  }
  if (!reader.given("URL")) reader.wrong("URL", "is missing (try 'h2park get --help')");
  settings.referer = field_of(prototype, "referer");
  settings.network.user_agent = field_of(prototype, "user-agent");
}

void read_switches(OptionReader& reader, GetSettings& settings) {
  settings.compressed = reader.given("compressed");
  settings.fail = reader.given("fail");
  settings.include = reader.given("include");
  settings.head = reader.given("head");
  settings.silent = reader.given("silent");
  settings.show_errors = !settings.silent || reader.given("show-error");
  settings.verbose = reader.given("verbose");
  settings.network.notes = settings.verbose;
}

}  // namespace

Result<GetSettings> parse_get(const Values& values, const Environment& environment) {
  OptionReader reader(values);
  GetSettings settings;
  read_switches(reader, settings);
  read_pace(reader, settings);
  read_redirects(reader, settings.client);
  read_limits(reader, settings.client);
  read_pool(reader, settings.client);
  read_proxy(reader, environment, settings.client);
  read_network(reader, settings.client, settings.network);
  if (!reader.fault()) read_targets(reader, settings);
  read_places(reader, settings);
  if (reader.fault()) return std::unexpected(*reader.fault());
  return settings;
}

}  // namespace h2park::cmd
