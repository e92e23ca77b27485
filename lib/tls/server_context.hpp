// ServerContext: what all TLS connections of a server share: certificate, key, and the rules of the
// handshake.
//
// TLS 1.2 and 1.3 (RFC 9113 9.2). TLS 1.2 offers only ECDHE with an AEAD cipher, so none of RFC 9113's list
// of prohibited suites. No compression, no renegotiation (9.2.1), no early data. ALPN (RFC 7301): "h2" before
// "http/1.1"; a client that offers neither gets the alert no_application_protocol, one without ALPN speaks
// HTTP/1.1. Any server name is accepted. The server keeps no session: resumption is by tickets
// (tls/ticket_keys.hpp).
#pragma once

#include "base/error.hpp"
#include "tls/ticket_keys.hpp"

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace h2park::tls {

/// Thread: any, once made. Lifetime: connections outlive it at will; a reload replaces it for new connections
/// only.
class ServerContext {
 public:
  /// From a PEM chain and its PEM key. Errors: one line naming the file at fault and the reason.
  static Result<std::shared_ptr<ServerContext>> from_files(const std::string& certificate,
                                                           const std::string& key,
                                                           std::shared_ptr<TicketKeys> tickets);
  /// With a fresh key and a certificate for localhost, 127.0.0.1 and ::1, valid for a year.
  static Result<std::shared_ptr<ServerContext>> self_signed(std::shared_ptr<TicketKeys> tickets);

  ~ServerContext();
  ServerContext(const ServerContext&) = delete;
  ServerContext& operator=(const ServerContext&) = delete;

  /// SHA-256 of the certificate: "AB:CD:...".
  const std::string& fingerprint() const { return fingerprint_; }
  /// For lib/tls itself.
  ssl_ctx_st* native() const { return context_; }

 private:
  explicit ServerContext(ssl_ctx_st* context);

  ssl_ctx_st* const context_;  // owned
  const std::string fingerprint_;
};

}  // namespace h2park::tls
