// The host of a URL in one spelling, so that one server is one origin.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace h2park::client {

/// Lower case, percent-decoded; addresses as the system writes them: "127.1" and "0x7f.1" are "127.0.0.1",
/// "[::0001]" is "::1", without brackets, and keeps a zone ("fe80::1%eth0", written %25 or % as in RFC 6874
/// 2 and as people do). Errors: what is wrong with it, for the caller to prefix.
Result<std::string> normalize_host(std::string_view host);

/// True for what normalize_host() made of an IPv6 address.
inline bool is_ipv6_literal(std::string_view host) { return host.find(':') != std::string_view::npos; }
/// ... of any address.
bool is_address_literal(std::string_view host);

}  // namespace h2park::client
