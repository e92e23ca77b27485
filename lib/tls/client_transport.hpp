// ClientTransport: a connection's bytes through TLS, the client's side.
#pragma once

#include "net/transport.hpp"
#include "net/unique_fd.hpp"
#include "tls/client_context.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace h2park::tls {

/// Why a handshake failed, as far as exit codes differ.
enum class HandshakeFault : std::uint8_t { kNone, kProtocol, kUntrusted };

/// Beside net::Transport. Sends SNI for a name (RFC 6066 3; not for an address), checks the certificate
/// against it (RFC 9110 4.3.4), sends close_notify before FIN (RFC 9112 9.8).
class ClientTransport : public net::Transport {
 public:
  virtual HandshakeFault handshake_fault() const = 0;
  /// After kEof: the peer closed without close_notify, so a body that ends with the connection may have been
  /// cut (RFC 9112 9.8).
  virtual bool truncated() const = 0;
  /// X509_V_* of the peer's chain, 0 if it is good; without verification too, as curl's ssl_verify_result.
  virtual long verify_result() const = 0;
  /// Requires: the handshake is done. It went on from an earlier session.
  virtual bool resumed() const = 0;
  /// For -v: "TLSv1.3", "TLS_AES_256_GCM_SHA384", the certificate's subject, issuer and dates, a line each.
  virtual std::string_view protocol() const = 0;
  virtual std::string_view cipher() const = 0;
  virtual std::string describe_certificate() const = 0;
};

/// A TLS connection to `host` on a connected, non-blocking socket; call handshake() next. A ticket of an
/// earlier connection to the same host and port of the same context is offered (RFC 8446 2.2). Requires:
/// SIGPIPE is ignored by the process.
std::unique_ptr<ClientTransport> connect(ClientContext& context, net::UniqueFd socket,
                                         const std::string& host, std::uint16_t port);

}  // namespace h2park::tls
