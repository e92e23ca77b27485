#include "client/proxy.hpp"

#include "client/credentials.hpp"
#include "client/url_text.hpp"

namespace h2park::client {
namespace {

constexpr std::uint16_t kProxyPort = 1080;

using Variable = std::function<std::optional<std::string>(std::string_view name)>;

struct Setting {
  std::string_view name;
  std::string value;
};

// The first of `names` that is set and not empty.
std::optional<Setting> first_set(const Variable& variable, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    auto value = variable(name);
    if (value && !value->empty()) return Setting{name, std::move(*value)};
  }
  return std::nullopt;
}

// A port that is not written is the scheme's, so it is another one if the scheme is another.
bool has_port(std::string_view after_scheme) {
  const auto plain = parse_url(std::string("http:").append(after_scheme));
  const auto secure = parse_url(std::string("https:").append(after_scheme));
  return plain && secure && plain->origin.port == secure->origin.port;
}

Result<Proxy> parse_proxy(const Setting& setting) {
  const std::string name(setting.name);
  std::string text = setting.value;
  if (!text.contains("://")) text.insert(0, "http://");
  const std::string scheme = scheme_of(text);
  if (scheme != "http") {
    return usage_error(name + ": a proxy of the kind '" + scheme + "' is not supported, only http");
  }
  const auto url = parse_url(text);
  if (!url) return usage_error(name + ": not the URL of a proxy (try http://HOST:PORT)");
  Proxy proxy{.origin = url->origin, .authorization = ""};
  if (!has_port(std::string_view(text).substr(scheme.size() + 1))) proxy.origin.port = kProxyPort;
  if (url->has_credentials) proxy.authorization = basic_authorization(url->user, url->password);
  return proxy;
}

}  // namespace

Result<ProxySettings> ProxySettings::from_environment(const Variable& variable) {
  ProxySettings settings;
  const auto read = [](const std::optional<Setting>& setting, std::optional<Proxy>& into) -> Result<> {
    if (!setting) return {};
    auto proxy = parse_proxy(*setting);
    if (!proxy) return std::unexpected(proxy.error());
    into = std::move(*proxy);
    return {};
  };
  const auto http = read(first_set(variable, {"http_proxy", "all_proxy", "ALL_PROXY"}), settings.http_);
  if (!http) return std::unexpected(http.error());
  const auto https =
      read(first_set(variable, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}), settings.https_);
  if (!https) return std::unexpected(https.error());
  if (const auto list = first_set(variable, {"no_proxy", "NO_PROXY"}))
    settings.no_proxy_ = NoProxy(list->value);
  return settings;
}

const Proxy* ProxySettings::find(const Origin& origin) const {
  const std::optional<Proxy>& proxy = origin.secure ? https_ : http_;
  return proxy && !no_proxy_.matches(origin) ? &*proxy : nullptr;
}

}  // namespace h2park::client
