// Cookie: one cookie, as a Set-Cookie field or a line of a cookie file gives it (RFC 6265 5.2, 5.3).
#pragma once

#include "client/url.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::client {

struct Cookie {
  std::string name;
  std::string value;
  std::string domain;     ///< lower-case, without a dot before it
  bool host_only = true;  ///< not for hosts below the domain
  std::string path = "/";
  bool secure = false;
  std::optional<std::chrono::sys_seconds> expires;  ///< nothing: with the run
  std::uint64_t order = 0;                          ///< of first being stored; the jar's

  /// The cookie is to be sent with a request for `url`, as far as host, path and scheme tell (5.4 step 1).
  bool is_for(const Url& url) const;
  bool has_expired(std::chrono::sys_seconds now) const { return expires && *expires <= now; }
};

/// https, or this machine: where cookies with Secure may come from and go to, as curl has it.
bool is_trustworthy(const Origin& origin);

/// The value of a Set-Cookie field. `from` is the URL that it came with; null: a line of a file, which must
/// have a Domain. There is no list of public suffixes: a Domain of one label, or an address, is for the very
/// host only. Besides RFC 6265, as curl has it: no control characters, at most 4096 bytes of name and value,
/// Secure only from trustworthy origins, the prefixes __Secure- and __Host-.
/// Nothing: to be ignored. A cookie that has expired is returned, since it deletes an earlier one.
std::optional<Cookie> parse_set_cookie(std::string_view text, const Url* from, std::chrono::sys_seconds now);

/// A line of a Netscape cookie file: domain, whether hosts below it too, path, secure, expires, name, value,
/// with tabs between. Nothing: a comment, or no such line.
std::optional<Cookie> parse_netscape_line(std::string_view line);

}  // namespace h2park::client
