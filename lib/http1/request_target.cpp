#include "http1/request_target.hpp"

#include "http1/field_tokens.hpp"

#include <algorithm>

namespace h2park::http1 {
namespace {

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// RFC 3986 3.2.2: unreserved, sub-delims and percent-encoded octets.
bool is_reg_name(std::string_view host) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (host[i] == '%') {
      if (i + 2 >= host.size() || !is_hex(host[i + 1]) || !is_hex(host[i + 2])) return false;
    } else if (!is_alnum(host[i]) &&
               std::string_view("-._~!$&'()*+,;=").find(host[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_ip_literal(std::string_view inside) {
  return !inside.empty() && std::ranges::all_of(inside, [](char c) {
    return is_alnum(c) || std::string_view("-._~!$&'()*+,;=:").find(c) != std::string_view::npos;
  });
}

bool is_port(std::string_view port) {
  return port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
}

// Where ":port" begins, or npos.
std::size_t port_mark(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  return authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
}

// The scheme of an absolute-form target that we serve, lower-case; "" if it is not one.
std::string_view scheme_of(std::string_view target) {
  for (const std::string_view scheme : {std::string_view("http"), std::string_view("https")}) {
    if (target.size() < scheme.size() + 3 || target.substr(scheme.size(), 3) != "://") continue;
    if (equal_ignoring_case(target.substr(0, scheme.size()), scheme)) return scheme;
  }
  return {};
}

bool assign_absolute(std::string_view target, http::RequestHead& head) {
  const std::string_view scheme = scheme_of(target);
  if (scheme.empty()) return false;
  target.remove_prefix(scheme.size() + 3);
  const std::size_t path_at = std::min(target.find_first_of("/?"), target.size());
  const std::string_view authority = target.substr(0, path_at);
  const std::string_view path = target.substr(path_at);
  // RFC 9110 4.2.1: an empty host is invalid in an http URI.
  if (authority.empty() || authority.starts_with(':') || !is_valid_authority(authority)) return false;
  head.scheme = scheme;
  head.authority = authority;
  head.target.clear();
  if (path.empty() && head.method == "OPTIONS") {
    head.target.push_back('*');  // RFC 9112 3.2.4
  } else if (!path.starts_with('/')) {
    head.target.push_back('/');
  }
  head.target.append(path);
  return true;
}

}  // namespace

bool is_valid_authority(std::string_view authority) {
  const std::size_t mark = port_mark(authority);
  const std::string_view host = authority.substr(0, mark);
  if (mark != std::string_view::npos && !is_port(authority.substr(mark + 1))) return false;
  if (host.starts_with('[')) return host.ends_with(']') && is_ip_literal(host.substr(1, host.size() - 2));
  return is_reg_name(host);
}

bool assign_target(std::string_view target, bool secure, http::RequestHead& head) {
  head.scheme = secure ? "https" : "http";
  if (head.method == "CONNECT") {
    const std::size_t mark = port_mark(target);
    if (mark == std::string_view::npos || mark == 0 || mark + 1 == target.size()) return false;
    if (!is_valid_authority(target)) return false;
    head.authority = target;
    return true;
  }
  if (target == "*") {
    head.target.push_back('*');  // = target: a wrong -Wrestrict of g++ 12
    return head.method == "OPTIONS";
  }
  if (!target.starts_with('/')) return assign_absolute(target, head);
  head.target = target;
  return true;
}

}  // namespace h2park::http1
