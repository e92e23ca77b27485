// The server's certificate: read from files, or made on the spot.
#pragma once

#include "base/error.hpp"
#include "tls/openssl.hpp"

#include <string>

namespace h2park::tls {

/// Loads a PEM chain (the server's own certificate first) and its PEM key, and checks that they belong
/// together. A key behind a passphrase is an error: nobody is there to type it. Errors: one line that names
/// the file at fault and the reason.
Result<> use_files(SSL_CTX* context, const std::string& certificate, const std::string& key);

/// Makes a key (P-256) and a certificate signed with it, for localhost, 127.0.0.1 and ::1, valid for a year.
Result<> use_self_signed(SSL_CTX* context);

/// SHA-256 of the context's certificate, "AB:CD:...", as `openssl x509 -fingerprint -sha256` prints it.
std::string fingerprint_of(const SSL_CTX* context);

}  // namespace h2park::tls
