// Why a client's TLS failed, in one plain line.
#pragma once

#include <string>

struct ssl_st;

namespace h2park::tls {

/// True: `code` says that the peer's certificate or its name was not accepted.
bool is_distrust(unsigned long code);

/// `code`: the library's code of what went wrong on `ssl`; `name`: whom the client meant to reach.
/// "certificate verify failed: self-signed certificate", "certificate is not valid for 'example.org'", "the
/// server sent the alert 'handshake failure'", "the server does not answer with TLS".
std::string client_error(const ssl_st* ssl, unsigned long code, const std::string& name);

}  // namespace h2park::tls
