#include "client/cookie.hpp"

#include "client/cookie_date.hpp"
#include "client/url_host.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace h2park::client {
namespace {

constexpr std::size_t kMaxBytes = 4096;  // RFC 6265 6.1, of name and value
constexpr std::chrono::sys_seconds kPast{std::chrono::seconds(0)};
// Far enough, and no sum with it overflows.
constexpr std::chrono::seconds kLongestAge = std::chrono::years(1000);

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}
bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes what stands before the next `separator`, or all.
std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

// RFC 6265 5.1.3, for a domain that is no address.
bool is_within(std::string_view host, std::string_view domain) {
  if (!host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

// RFC 6265 5.1.4.
std::string default_path(const Url& url) {
  const std::string_view path = std::string_view(url.target).substr(0, url.target.find('?'));
  const auto last = path.rfind('/');
  return last == 0 ? "/" : std::string(path.substr(0, last));
}

bool is_path_within(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  return path.size() == prefix.size() || prefix.ends_with('/') || path[prefix.size()] == '/';
}

struct Attributes {
  std::string domain;
  std::string path;
  bool secure = false;
  std::optional<std::chrono::sys_seconds> expires;
  std::optional<std::chrono::sys_seconds> max_age;
};

// RFC 6265 5.2.2: what is no number is ignored, what is too large is large.
void read_max_age(std::string_view value, std::chrono::sys_seconds now, Attributes& attributes) {
  std::int64_t seconds = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (read.ec == std::errc::invalid_argument || read.ptr != value.data() + value.size()) return;
  if (read.ec == std::errc::result_out_of_range) {
    seconds = value.starts_with('-') ? 0 : std::numeric_limits<std::int64_t>::max();
  }
  attributes.max_age = seconds <= 0 ? kPast : now + std::min(std::chrono::seconds(seconds), kLongestAge);
}

void read_attribute(std::string_view text, std::chrono::sys_seconds now, Attributes& attributes) {
  const std::string_view name = trimmed(take_until(text, '='));
  const std::string_view value = trimmed(text);
  if (equal_ignoring_case(name, "expires")) {
    if (const auto date = parse_cookie_date(value)) attributes.expires = date;
  } else if (equal_ignoring_case(name, "max-age")) {
    read_max_age(value, now, attributes);
  } else if (equal_ignoring_case(name, "domain")) {
    if (!value.empty()) attributes.domain = lowered(value.substr(value.starts_with('.') ? 1 : 0));
  } else if (equal_ignoring_case(name, "path")) {
    attributes.path = value;
  } else if (equal_ignoring_case(name, "secure")) {
    attributes.secure = true;
  }
}

// RFC 6265 5.3 steps 4 to 6. False: the cookie is for nobody.
bool set_domain(Cookie& cookie, std::string domain, const Url* from) {
  if (domain.empty()) {
    if (from == nullptr) return false;
    cookie.domain = from->origin.host;
    return true;
  }
  const bool exact = is_address_literal(domain) || !domain.contains('.');
  if (from != nullptr && from->origin.host != domain) {
    if (exact || is_address_literal(from->origin.host) || !is_within(from->origin.host, domain)) return false;
  }
  cookie.host_only = exact;
  cookie.domain = std::move(domain);
  return true;
}

bool keeps_its_prefix(const Cookie& cookie, bool has_domain) {
  if (cookie.name.starts_with("__Secure-")) return cookie.secure;
  if (cookie.name.starts_with("__Host-")) return cookie.secure && cookie.path == "/" && !has_domain;
  return true;
}

}  // namespace

bool is_trustworthy(const Origin& origin) {
  return origin.secure || origin.host == "localhost" || origin.host == "127.0.0.1" || origin.host == "::1";
}

bool Cookie::is_for(const Url& url) const {
  const std::string& host = url.origin.host;
  if (host_only ? host != domain : is_address_literal(host) || !is_within(host, domain)) return false;
  if (secure && !is_trustworthy(url.origin)) return false;
  return is_path_within(std::string_view(url.target).substr(0, url.target.find('?')), path);
}

std::optional<Cookie> parse_set_cookie(std::string_view text, const Url* from, std::chrono::sys_seconds now) {
  std::string_view pair = take_until(text, ';');
  if (has_control(pair) || !pair.contains('=')) return std::nullopt;
  Cookie cookie;
  cookie.name = trimmed(take_until(pair, '='));
  cookie.value = trimmed(pair);
  if (cookie.name.empty() || cookie.name.size() + cookie.value.size() > kMaxBytes) return std::nullopt;

  Attributes attributes;
  while (!text.empty()) read_attribute(take_until(text, ';'), now, attributes);
  const bool has_domain = !attributes.domain.empty();
  if (attributes.path.starts_with('/')) {
    cookie.path = attributes.path;
  } else if (from != nullptr) {
    cookie.path = default_path(*from);
  }
  cookie.secure = attributes.secure;
  cookie.expires = attributes.max_age ? attributes.max_age : attributes.expires;
  if (!set_domain(cookie, std::move(attributes.domain), from)) return std::nullopt;
  if (cookie.secure && from != nullptr && !is_trustworthy(from->origin)) return std::nullopt;
  if (!keeps_its_prefix(cookie, has_domain)) return std::nullopt;
  return cookie;
}

std::optional<Cookie> parse_netscape_line(std::string_view line) {
  constexpr std::string_view kHttpOnly = "#HttpOnly_";
  if (line.starts_with(kHttpOnly)) line.remove_prefix(kHttpOnly.size());
  if (line.starts_with('#') || has_control(line)) return std::nullopt;
  std::array<std::string_view, 7> fields;
  // The last may be missing: an empty value.
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i < 6 && line.empty()) return std::nullopt;
    fields[i] = take_until(line, '\t');
  }
  if (!line.empty() || fields[0].empty() || fields[5].empty()) return std::nullopt;
  Cookie cookie;
  cookie.domain = lowered(fields[0].substr(fields[0].starts_with('.') ? 1 : 0));
  cookie.host_only = !equal_ignoring_case(fields[1], "TRUE");
  if (fields[2].starts_with('/')) cookie.path = fields[2];
  cookie.secure = equal_ignoring_case(fields[3], "TRUE");
  cookie.name = fields[5];
  cookie.value = fields[6];
  std::int64_t expires = 0;
  const auto read = std::from_chars(fields[4].data(), fields[4].data() + fields[4].size(), expires);
  if (read.ec != std::errc{} || read.ptr != fields[4].data() + fields[4].size()) return std::nullopt;
  if (expires != 0) cookie.expires = std::chrono::sys_seconds(std::chrono::seconds(expires));
  return cookie;
}

}  // namespace h2park::client
