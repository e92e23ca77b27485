#include "net/endpoint.hpp"

#include "net/socket_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace h2park::net {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::string_view kDefaultHost = "127.0.0.1";
// RFC 1035 2.3.4: a host name has at most 255 octets on the wire, which is 253 characters of text.
constexpr std::size_t kMaxHostName = 253;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return usage_error("'" + std::string(text) + "': " + std::string(why));
}

Result<std::uint16_t> parse_port(std::string_view text, std::string_view digits) {
  if (digits.empty()) return wrong(text, "the port is missing (HOST:PORT, [IPV6]:PORT or unix:PATH)");
  if (!std::ranges::all_of(digits, is_digit)) {
    return wrong(text, "'" + std::string(digits) + "' is not a port number");
  }
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || port > 65535) {
    return wrong(text, "port " + std::string(digits) + " is not between 0 and 65535");
  }
  return static_cast<std::uint16_t>(port);
}

Result<Endpoint> parse_unix(std::string_view text) {
  const std::string_view path = text.substr(kUnixPrefix.size());
  if (path.empty()) return wrong(text, "the path of the unix socket is missing");
  if (path.find('\0') != std::string_view::npos) return wrong(text, "a path cannot hold a zero byte");
  if (path.size() > kMaxUnixPath) {
    return wrong(text, "the path has " + std::to_string(path.size()) + " bytes, a unix socket's at most " +
                           std::to_string(kMaxUnixPath));
  }
  return Endpoint{.unix_path = std::string(path)};
}

Result<Endpoint> parse_bracketed(std::string_view text) {
  const auto close = text.find(']');
  if (close == std::string_view::npos) return wrong(text, "']' is missing");
  const std::string_view host = text.substr(1, close - 1);
  const std::string address(host.substr(0, host.find('%')));
  in6_addr parsed{};
  if (::inet_pton(AF_INET6, address.c_str(), &parsed) != 1 || host.ends_with('%')) {
    return wrong(text, "'" + std::string(host) + "' is not an IPv6 address");
  }
  const std::string_view rest = text.substr(close + 1);
  if (!rest.empty() && rest.front() != ':') return wrong(text, "only :PORT may follow ']'");
  const auto port = parse_port(text, rest.empty() ? rest : rest.substr(1));
  if (!port) return std::unexpected(port.error());
  return Endpoint{.host = std::string(host), .port = *port};
}

Result<> check_host(std::string_view text, std::string_view host) {
  if (host.size() > kMaxHostName) return wrong(text, "the host name is too long");
  if (!std::ranges::all_of(host, is_name_character)) {
    return wrong(text, "'" + std::string(host) + "' is not a host name");
  }
  // "1.2.3.400" or "10.1" must not become a name to look up, nor one of the old short forms of an address.
  if (std::ranges::all_of(host, [](char c) { return is_digit(c) || c == '.'; })) {
    in_addr parsed{};
    if (::inet_pton(AF_INET, std::string(host).c_str(), &parsed) != 1) {
      return wrong(text, "'" + std::string(host) + "' is not an IPv4 address");
    }
  }
  return {};
}

}  // namespace

std::string Endpoint::text() const {
  if (is_unix()) return std::string(kUnixPrefix) + unix_path;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.empty()) return usage_error("an address is missing (HOST:PORT, [IPV6]:PORT or unix:PATH)");
  if (text.starts_with(kUnixPrefix)) return parse_unix(text);
  if (text.front() == '[') return parse_bracketed(text);
  const auto colon = text.find(':');
  if (colon != text.rfind(':'))
    return wrong(text, "an IPv6 address is written in brackets, as in [::1]:8080");
  const bool port_alone = colon == std::string_view::npos && std::ranges::all_of(text, is_digit);
  const std::string_view host = port_alone ? std::string_view{} : text.substr(0, colon);
  if (auto good = check_host(text, host.empty() ? kDefaultHost : host); !good)
    return std::unexpected(good.error());
  const std::string_view digits = port_alone                        ? text
                                  : colon == std::string_view::npos ? std::string_view{}
                                                                    : text.substr(colon + 1);
  const auto port = parse_port(text, digits);
  if (!port) return std::unexpected(port.error());
  return Endpoint{.host = std::string(host.empty() ? kDefaultHost : host), .port = *port};
}

bool is_loopback(const Endpoint& endpoint) {
  const auto addresses = resolve(endpoint);
  return addresses && std::ranges::all_of(*addresses, &SocketAddress::is_loopback);
}

}  // namespace h2park::net
