// NoProxy: the hosts that are connected to directly, as no_proxy lists them.
#pragma once

#include "client/url.hpp"

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace h2park::client {

/// Entries stand between commas or spaces. As curl has them: a domain means itself and all below it, with a
/// dot before it or without; an address means itself, with "/BITS" its network; "*" means every host.
/// Besides, as Go has them: "*.example.org" and ports ("example.org:8080", "[::1]:80"). What is none of these
/// matches nothing.
class NoProxy {
 public:
  NoProxy() = default;
  explicit NoProxy(std::string_view list);

  bool matches(const Origin& origin) const;

 private:
  using Address = std::variant<in_addr, in6_addr>;
  struct Entry {
    std::string domain;              // lower-case; "" if it is a network
    std::optional<Address> network;  // its first `bits` bits count
    unsigned bits = 0;
    std::optional<std::uint16_t> port;  // nothing: any
  };

  static std::optional<Address> parse_address(std::string_view text);
  static std::optional<Entry> parse_entry(std::string_view text);
  static bool same_network(const Entry& entry, const Address& address);

  bool all_ = false;
  std::vector<Entry> entries_;
};

}  // namespace h2park::client
