#include "client/no_proxy.hpp"

#include "base/units.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace h2park::client {
namespace {

constexpr std::string_view kSeparators = ", \t";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_final_dot(std::string_view name) {
  return name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
}

// "example.org" is in "example.org" and in "org", and not in "ample.org".
bool is_within(std::string_view name, std::string_view domain) {
  if (!name.ends_with(domain)) return false;
  return name.size() == domain.size() || name[name.size() - domain.size() - 1] == '.';
}

struct HostAndPort {
  std::string_view host;  // without brackets
  std::string_view port;  // "" if there is none
};

HostAndPort split(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = std::min(text.find(']'), text.size());
    const std::string_view after = text.substr(std::min(end + 1, text.size()));
    return {text.substr(1, end - 1), after.starts_with(':') ? after.substr(1) : ""};
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || text.rfind(':') != colon) return {text, ""};  // a bare IPv6 address
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

NoProxy::NoProxy(std::string_view list) {
  while (true) {
    const auto begin = list.find_first_not_of(kSeparators);
    if (begin == std::string_view::npos) return;
    list.remove_prefix(begin);
    const std::string_view text = list.substr(0, list.find_first_of(kSeparators));
    list.remove_prefix(text.size());
    if (text == "*") all_ = true;
    if (auto entry = parse_entry(text)) entries_.push_back(std::move(*entry));
  }
}

std::optional<NoProxy::Address> NoProxy::parse_address(std::string_view text) {
  const std::string digits(text.substr(0, text.find('%')));
  in_addr four{};
  if (::inet_pton(AF_INET, digits.c_str(), &four) == 1) return four;
  in6_addr six{};
  if (::inet_pton(AF_INET6, digits.c_str(), &six) == 1) return six;
  return std::nullopt;
}

std::optional<NoProxy::Entry> NoProxy::parse_entry(std::string_view text) {
  const auto slash = text.find('/');
  const HostAndPort parts = split(text.substr(0, slash));
  Entry entry;
  if (!parts.port.empty()) {
    const auto port = parse_count(parts.port, 1, 65535);
    if (!port) return std::nullopt;
    entry.port = static_cast<std::uint16_t>(*port);
  }
  entry.network = parse_address(parts.host);
  if (entry.network) {
    const unsigned most = std::holds_alternative<in_addr>(*entry.network) ? 32 : 128;
    const auto bits = slash == std::string_view::npos ? most : parse_count(text.substr(slash + 1), 0, most);
    if (!bits) return std::nullopt;
    entry.bits = static_cast<unsigned>(*bits);
    return entry;
  }
  std::string_view domain = parts.host;
  if (domain.starts_with('*')) domain.remove_prefix(1);
  if (domain.starts_with('.')) domain.remove_prefix(1);
  domain = without_final_dot(domain);
  if (domain.empty() || slash != std::string_view::npos) return std::nullopt;
  entry.domain = domain;
  std::ranges::transform(entry.domain, entry.domain.begin(), lower);
  return entry;
}

bool NoProxy::same_network(const Entry& entry, const Address& address) {
  if (entry.network->index() != address.index()) return false;
  std::array<unsigned char, sizeof(in6_addr)> ours{};
  std::array<unsigned char, sizeof(in6_addr)> theirs{};
  std::visit([&](const auto& bytes) { std::memcpy(ours.data(), &bytes, sizeof bytes); }, *entry.network);
  std::visit([&](const auto& bytes) { std::memcpy(theirs.data(), &bytes, sizeof bytes); }, address);
  const std::size_t whole = entry.bits / 8;
  if (!std::equal(ours.begin(), ours.begin() + whole, theirs.begin())) return false;
  const unsigned rest = entry.bits % 8;
  return rest == 0 || (ours[whole] ^ theirs[whole]) >> (8 - rest) == 0;
}

bool NoProxy::matches(const Origin& origin) const {
  if (all_) return true;
  const auto address = parse_address(origin.host);
  const std::string_view name = without_final_dot(origin.host);
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    if (entry.port && *entry.port != origin.port) return false;
    if (entry.network) return address && same_network(entry, *address);
    return !address && is_within(name, entry.domain);
  });
}

}  // namespace h2park::client
