// Url: an http or https address, taken apart into where to connect and what to ask for.
#pragma once

#include "base/error.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace h2park::client {

/// Scheme, host and port (RFC 9110 4.3.1): what connections are shared by.
struct Origin {
  bool secure = false;
  std::string host;  ///< lower-case, without brackets; of an IPv6 address with its zone
  std::uint16_t port = 80;

  auto operator<=>(const Origin&) const = default;
  bool has_default_port() const { return port == (secure ? 443 : 80); }
  /// "https://example.org", "http://[::1]:8080": the default port is left out.
  std::string text() const;
  /// For the Host field: "example.org", "[::1]:8080" (RFC 9110 7.2).
  std::string authority() const;
};

struct Url {
  Origin origin;
  std::string target = "/";  ///< origin form: path and query, never empty, without fragment
  std::string fragment;      ///< without '#'; never sent
  bool has_credentials = false;
  std::string user;  ///< percent-decoded userinfo: never sent in the target (RFC 9110 4.2.4), but as Basic
  std::string password;

  /// Without credentials and fragment.
  std::string text() const { return origin.text() + target; }
};

/// As curl reads it: "example.org/a" means http, "127.1" 127.0.0.1, and dot segments of the path are
/// resolved. Spaces, control characters and bytes outside of ASCII are an error; printable characters that no
/// URL has
/// ('"', '[', '|' ...) are percent-encoded in the target. Errors (usage): one line naming what is wrong with
/// it.
Result<Url> parse_url(std::string_view text);

/// A Location field's value relative to `base` (RFC 3986 5, RFC 9110 10.2.2); a fragment of `base` is
/// inherited, and its credentials where the reference names no host. Spaces and bytes outside of ASCII, which
/// servers do send, are percent-encoded as curl does. Errors: as parse_url(), and other schemes than http and
/// https.
Result<Url> resolve_url(const Url& base, std::string_view reference);

}  // namespace h2park::client
