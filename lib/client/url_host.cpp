#include "client/url_host.hpp"

#include "http/percent.hpp"

#include <arpa/inet.h>
#include <net/if.h>

#include <algorithm>
#include <array>

namespace h2park::client {
namespace {

// What curl has in no host name either: delimiters of URLs and of fields, and what shells and logs stumble
// on.
constexpr std::string_view kNotInNames = " \r\n\t/:#?!@{}[]\\$'\"^`*<>=;,&()+%|";

bool is_text(char c) { return c > 0x20 && c < 0x7f; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <class Address>
std::string address_text(int family, const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text;
  return ::inet_ntop(family, &address, text.data(), text.size());
}

Result<std::string> normalize_ipv6(std::string_view inside) {
  const auto percent = inside.find('%');
  std::string zone;
  if (percent != std::string_view::npos) {
    zone = inside.substr(percent + 1);
    // "%25eth0", and not the interface "25": a zone of two digits alone is taken as it stands.
    if (zone.size() > 2 && zone.starts_with("25")) zone.erase(0, 2);
    if (zone.empty() || zone.size() >= IF_NAMESIZE || !std::ranges::all_of(zone, is_text)) {
      return usage_error("malformed zone of an IPv6 address");
    }
    zone.insert(0, "%");
  }
  in6_addr address{};
  if (::inet_pton(AF_INET6, std::string(inside.substr(0, percent)).c_str(), &address) != 1) {
    return usage_error("malformed IPv6 address");
  }
  return address_text(AF_INET6, address) + zone;
}

}  // namespace

Result<std::string> normalize_host(std::string_view host) {
  if (host.empty()) return usage_error("no host in it");
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return usage_error("an IPv6 address without its closing bracket");
    return normalize_ipv6(host.substr(1, host.size() - 2));
  }
  auto name = http::percent_decode(host);
  if (!name || !std::ranges::all_of(*name, is_text) ||
      name->find_first_of(kNotInNames) != std::string::npos) {
    return usage_error(std::ranges::count(host, ':') > 1 ? "an IPv6 address stands in brackets"
                                                         : "malformed host name");
  }
  std::ranges::transform(*name, name->begin(), lower);
  in_addr address{};
  if (::inet_aton(name->c_str(), &address) == 1) return address_text(AF_INET, address);
  return std::move(*name);
}

bool is_address_literal(std::string_view host) {
  in_addr address{};
  return is_ipv6_literal(host) || ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

}  // namespace h2park::client
