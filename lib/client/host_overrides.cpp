#include "client/host_overrides.hpp"

#include "base/units.hpp"
#include "client/url_host.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace h2park::client {
namespace {

std::unexpected<Error> wrong(std::string_view text, std::string_view shape) {
  return usage_error("'" + std::string(text) + "' is not " + std::string(shape));
}

// Takes what stands before the next colon, or all; a colon in brackets is none. Nothing: a bracket is
// missing.
std::optional<std::string_view> take_part(std::string_view& text) {
  const auto from = text.starts_with('[') ? text.find(']') : 0;
  if (from == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, text.find(':', from));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// A port, or 0 for an empty one where that is allowed.
Result<std::uint16_t> parse_port(std::string_view text, bool may_be_empty) {
  if (text.empty() && may_be_empty) return std::uint16_t{0};
  const auto port = parse_count(text, 1, 65535);
  if (!port) return usage_error("port " + port.error().message);
  return static_cast<std::uint16_t>(*port);
}

// A host as Origin has it; "" stays "".
Result<std::string> parse_host(std::string_view text) {
  if (text.empty()) return std::string();
  auto host = normalize_host(text);
  if (!host) return usage_error("'" + std::string(text) + "': " + host.error().message);
  return host;
}

Result<std::vector<net::SocketAddress>> parse_addresses(std::string_view list, std::uint16_t port) {
  std::vector<net::SocketAddress> addresses;
  while (true) {
    const std::string_view text = list.substr(0, list.find(','));
    const bool bare_ipv6 = !text.starts_with('[') && text.contains(':');
    const auto host = normalize_host(bare_ipv6 ? "[" + std::string(text) + "]" : std::string(text));
    if (!host || !is_address_literal(*host)) return wrong(text, "an IP address");
    const auto found = net::resolve({.host = *host, .port = port, .unix_path = ""});
    if (!found) return usage_error("'" + std::string(text) + "': " + found.error().message);
    addresses.push_back(found->front());
    if (text.size() == list.size()) return addresses;
    list.remove_prefix(text.size() + 1);
  }
}

// HOST:PORT from the front of `text`; a host "*" stays as it is.
Result<HostOverrides::Target> take_target(std::string_view& text, std::string_view shape) {
  const std::string_view whole = text;
  const auto host_text = take_part(text);
  const auto port_text = take_part(text);
  if (!host_text || !port_text || host_text->empty() || port_text->empty()) return wrong(whole, shape);
  auto host = *host_text == "*" ? Result<std::string>("*") : parse_host(*host_text);
  if (!host) return std::unexpected(host.error());
  const auto port = parse_port(*port_text, false);
  if (!port) return std::unexpected(port.error());
  return HostOverrides::Target{std::move(*host), *port};
}

}  // namespace

Result<> HostOverrides::add_resolve(std::string_view text) {
  constexpr std::string_view kShape = "HOST:PORT:ADDRESS[,ADDRESS]... (try example.org:443:127.0.0.1)";
  const bool taken_back = text.starts_with('-');
  const bool timed = text.starts_with('+');
  std::string_view rest = text.substr(taken_back || timed ? 1 : 0);
  auto target = take_target(rest, taken_back ? "-HOST:PORT" : kShape);
  if (!target) return std::unexpected(target.error());
  if (taken_back) {
    if (!rest.empty()) return wrong(text, "-HOST:PORT");
    forget(*target);
    return {};
  }
  if (rest.empty()) return wrong(text, kShape);
  auto addresses = parse_addresses(rest, target->port);
  if (!addresses) return std::unexpected(addresses.error());
  forget(*target);
  addresses_.push_back({std::move(*target), timed, std::move(*addresses)});
  return {};
}

void HostOverrides::forget(const Target& target) {
  std::erase_if(addresses_, [&](const Addresses& entry) { return entry.of == target; });
}

Result<> HostOverrides::add_connect_to(std::string_view text) {
  constexpr std::string_view kShape = "HOST1:PORT1:HOST2:PORT2 (try example.org:443:localhost:8443)";
  std::string_view rest = text;
  std::array<std::string_view, 4> parts;
  for (auto& part : parts) {
    // Every part but the last has a colon behind it.
    const bool last = &part == &parts.back();
    const std::size_t before = rest.size();
    const auto taken = take_part(rest);
    if (!taken || (!last && before == taken->size()) || (last && !rest.empty())) return wrong(text, kShape);
    part = *taken;
  }
  Detour detour;
  for (const auto& [target, host_text, port_text] :
       {std::tuple(&detour.from, parts[0], parts[1]), std::tuple(&detour.to, parts[2], parts[3])}) {
    auto host = parse_host(host_text);
    if (!host) return std::unexpected(host.error());
    const auto port = parse_port(port_text, true);
    if (!port) return std::unexpected(port.error());
    *target = {std::move(*host), *port};
  }
  detours_.push_back(std::move(detour));
  return {};
}

HostOverrides::Target HostOverrides::target(const Target& origin) const {
  const auto fits = [&](const Detour& detour) {
    return (detour.from.host.empty() || detour.from.host == origin.host) &&
           (detour.from.port == 0 || detour.from.port == origin.port);
  };
  const auto detour = std::ranges::find_if(detours_, fits);
  if (detour == detours_.end()) return origin;
  return {detour->to.host.empty() ? origin.host : detour->to.host,
          detour->to.port == 0 ? origin.port : detour->to.port};
}

const std::vector<net::SocketAddress>* HostOverrides::addresses(const Target& target, Duration age) const {
  const auto find = [&](const Target& wanted) -> const std::vector<net::SocketAddress>* {
    const auto entry = std::ranges::find_if(
        addresses_, [&](const Addresses& e) { return e.of == wanted && !(e.timed && age >= kTimedLife); });
    return entry == addresses_.end() ? nullptr : &entry->addresses;
  };
  const auto* own = find(target);
  return own != nullptr ? own : find({"*", target.port});
}

}  // namespace h2park::client
