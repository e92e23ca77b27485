#include "readout/allowed_hosts.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace h2park::readout {
namespace {

/// One text for each IPv6 address, brackets removed; names in lower case.
std::string canonical(std::string_view host) {
  std::string name(host);
  if (name.starts_with('[') && name.ends_with(']')) {
    name = name.substr(1, name.size() - 2);
    in6_addr address{};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::inet_pton(AF_INET6, name.c_str(), &address) != 1) return "";
    return ::inet_ntop(AF_INET6, &address, text.data(), text.size());
  }
  // Host names are ASCII; the process's locale has no say.
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

}  // namespace

AllowedHosts::AllowedHosts(const net::Endpoint& bound)
    : any_(bound.is_unix()), port_(std::to_string(bound.port)), names_{"localhost", "127.0.0.1", "::1"} {
  const bool v6 = bound.host.find(':') != std::string::npos;
  const std::string own = canonical(v6 ? "[" + bound.host + "]" : bound.host);
  if (!own.empty()) names_.push_back(own);
}

bool AllowedHosts::allow(std::string_view host) const {
  if (any_) return true;
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    // RFC 3986 3.2.3: an empty port is the same as none.
    if (!port.empty() && port != port_) return false;
    host = host.substr(0, colon);
  }
  // An address without its brackets is not a host.
  if (host.find(':') != std::string_view::npos && !host.starts_with('[')) return false;
  return std::ranges::find(names_, canonical(host)) != names_.end();
}

}  // namespace h2park::readout
