// ClientName: what a client calls the server it connects to, as TLS wants it.
#pragma once

#include <string>

struct ssl_st;

namespace h2park::tls {

struct ClientName {
  std::string text;  ///< without brackets, scope id and the final dot of a name
  bool is_address = false;
};

/// From a URL's host: "example.org", "example.org.", "127.0.0.1", "[::1]", "fe80::1%eth0".
ClientName client_name(const std::string& host);

/// Names: SNI (RFC 6066 3, which excludes addresses). `verify`: the certificate must be for it (RFC
/// 9110 4.3.4, 4.3.5), or the handshake fails. Errors: std::bad_alloc.
void use_name(ssl_st* ssl, const ClientName& name, bool verify);

}  // namespace h2park::tls
