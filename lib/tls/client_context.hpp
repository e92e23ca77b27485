// ClientContext: what all TLS connections of a client share: trust, its own certificate, the rules of the
// handshake. TLS 1.2 and 1.3; ALPN "http/1.1".
#pragma once

#include "base/error.hpp"

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace h2park::tls {

struct ClientOptions {
  bool verify = true;  ///< chain and name; -k switches both off
  /// PEM file and hashed directory of what is trusted, instead of the system's store. Both "": the system's
  /// store, or what $SSL_CERT_FILE and $SSL_CERT_DIR name.
  std::string ca_file;
  std::string ca_directory;
  std::string certificate;  ///< PEM chain to present; ""
  std::string key;          ///< PEM; "": in the same file as the certificate
};

/// Thread: one. Lifetime: connections hold what they need of it.
class ClientContext {
 public:
  /// Errors: one line naming the file at fault and the reason.
  static Result<std::shared_ptr<ClientContext>> make(const ClientOptions& options);
  ~ClientContext();
  ClientContext(const ClientContext&) = delete;
  ClientContext& operator=(const ClientContext&) = delete;

  /// For lib/tls itself.
  ssl_ctx_st* native() const { return context_; }
  bool verifies() const { return verify_; }

 private:
  ClientContext(ssl_ctx_st* context, bool verify) : context_(context), verify_(verify) {}

  ssl_ctx_st* const context_;  // owned
  const bool verify_;
};

}  // namespace h2park::tls
