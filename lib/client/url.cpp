#include "client/url.hpp"

#include "base/units.hpp"
#include "client/url_host.hpp"
#include "client/url_text.hpp"
#include "http/percent.hpp"

#include <algorithm>

namespace h2park::client {
namespace {

std::unexpected<Error> malformed(std::string_view text, const std::string& why) {
  return usage_error("malformed URL " + quoted_url(text) + ": " + why);
}

// Where an authority or its last part ends: at the path, the query or the fragment.
std::string_view up_to_path(std::string_view text) { return text.substr(0, text.find_first_of("/?#")); }

Result<std::uint16_t> parse_port(std::string_view text, bool secure) {
  if (text.empty()) return static_cast<std::uint16_t>(secure ? 443 : 80);
  const auto port = parse_count(text, 1, 65535);
  if (!port) return usage_error("port " + port.error().message);
  return static_cast<std::uint16_t>(*port);
}

// "host:port", both as written; the colons of an IPv6 address stand in brackets.
Result<> read_origin(std::string_view host_and_port, Origin& origin) {
  const auto bracket = host_and_port.rfind(']');
  const auto colon = host_and_port.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const bool has_port = colon != std::string_view::npos;
  if (has_port && bracket == std::string_view::npos && host_and_port.rfind(':') != colon) {
    return usage_error("an IPv6 address stands in brackets");
  }
  auto host = normalize_host(host_and_port.substr(0, colon));
  if (!host) return std::unexpected(host.error());
  const auto port = parse_port(has_port ? host_and_port.substr(colon + 1) : "", origin.secure);
  if (!port) return std::unexpected(port.error());
  origin.host = std::move(*host);
  origin.port = *port;
  return {};
}

Result<> read_credentials(std::string_view userinfo, Url& url) {
  const auto colon = std::min(userinfo.find(':'), userinfo.size());
  auto user = http::percent_decode(userinfo.substr(0, colon));
  auto password = http::percent_decode(userinfo.substr(std::min(colon + 1, userinfo.size())));
  if (!user || !password || userinfo.contains('@')) {
    return usage_error("'@' and '%' in user or password are written %40 and %25");
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(*user + *password, is_control)) {
    return usage_error("a control character in user or password");
  }
  url.has_credentials = true;
  url.user = std::move(*user);
  url.password = std::move(*password);
  return {};
}

// Path, query and fragment.
void read_target(std::string_view rest, Url& url) {
  if (const auto hash = rest.find('#'); hash != std::string_view::npos) {
    url.fragment = rest.substr(hash + 1);
    rest = rest.substr(0, hash);
  }
  const auto mark = std::min(rest.find('?'), rest.size());
  const std::string_view path = rest.substr(0, mark);
  url.target =
      encode_target(path.empty() ? "/" : remove_dot_segments(path)) + encode_target(rest.substr(mark));
}

// `text` has a scheme and `after_scheme` is what follows its colon.
Result<Url> read_url(std::string_view text, const std::string& scheme, std::string_view after_scheme) {
  Url url;
  if (scheme != "http" && scheme != "https") {
    return malformed(text, "scheme '" + scheme + "' is neither http nor https");
  }
  url.origin.secure = scheme == "https";
  // One slash and three are as common a slip as curl makes them work.
  const auto slashes = std::min(after_scheme.find_first_not_of('/'), after_scheme.size());
  if (slashes < 1 || slashes > 3) return malformed(text, "'//' stands before the host");
  const std::string_view from_authority = after_scheme.substr(slashes);
  const std::string_view authority = up_to_path(from_authority);
  const auto at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const auto read = read_credentials(authority.substr(0, at), url);
    if (!read) return malformed(text, read.error().message);
  }
  const auto read = read_origin(authority.substr(at == std::string_view::npos ? 0 : at + 1), url.origin);
  if (!read) return malformed(text, read.error().message);
  read_target(from_authority.substr(authority.size()), url);
  return url;
}

// RFC 3986 5.2.2 and 5.2.3, for a reference without scheme and authority: path and query, dots still in it.
std::string merge(const Url& base, std::string_view reference) {
  const std::string_view target = base.target;
  if (reference.starts_with('/')) return std::string(reference);
  if (reference.empty() || reference.starts_with('#')) return std::string(target).append(reference);
  const std::string_view path = target.substr(0, target.find('?'));
  if (reference.starts_with('?')) return std::string(path).append(reference);
  return std::string(path.substr(0, path.rfind('/') + 1)).append(reference);
}

}  // namespace

std::string Origin::text() const {
  std::string host_text = is_ipv6_literal(host) ? "[" + host + "]" : host;
  if (const auto zone = host_text.find('%'); zone != std::string::npos) host_text.insert(zone + 1, "25");
  return (secure ? "https://" : "http://") + host_text +
         (has_default_port() ? "" : ":" + std::to_string(port));
}

std::string Origin::authority() const {
  // A zone means something on this machine only (RFC 6874 3).
  const std::string host_text = is_ipv6_literal(host) ? "[" + host.substr(0, host.find('%')) + "]" : host;
  return host_text + (has_default_port() ? "" : ":" + std::to_string(port));
}

Result<Url> parse_url(std::string_view text) {
  const auto checked = check_characters(text);
  if (!checked) return std::unexpected(checked.error());
  const std::string scheme = scheme_of(text);
  const std::string_view after = text.substr(scheme.empty() ? 0 : scheme.size() + 1);
  if (text.starts_with('/')) return malformed(text, "no host in it");
  // "localhost:8080" begins like a scheme and is none: that one has a slash behind it.
  if (scheme.empty() || !after.starts_with('/')) return read_url(text, "http", "//" + std::string(text));
  return read_url(text, scheme, after);
}

Result<Url> resolve_url(const Url& base, std::string_view reference) {
  const auto first = reference.find_first_not_of(" \t");
  const auto last = reference.find_last_not_of(" \t");
  const bool blank = first == std::string_view::npos;
  const std::string text = encode_location(blank ? "" : reference.substr(first, last - first + 1));
  const auto checked = check_characters(text);
  if (!checked) return std::unexpected(checked.error());

  Result<Url> url;
  if (const std::string scheme = scheme_of(text); !scheme.empty()) {
    url = read_url(text, scheme, std::string_view(text).substr(scheme.size() + 1));
  } else if (text.starts_with("//")) {
    url = read_url(text, base.origin.secure ? "https" : "http", text);
  } else {
    url = base;
    read_target(merge(base, text), *url);
  }
  if (url && text.find('#') == std::string::npos) url->fragment = base.fragment;
  return url;
}

}  // namespace h2park::client
