// A ClientTransport and a TLS server made for the test, with certificates to order, at both ends of a socket.
#pragma once

#include "support/certificate_files.hpp"
#include "tls/client_transport.hpp"
#include "tls/openssl.hpp"
#include "tls/server_context.hpp"
#include "tls/ssl_pipe.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace h2park::tls {

struct Identity;

struct CertificateOrder {
  std::string subject = "localhost";
  /// OpenSSL's notation of subject alternative names; "": none.
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  long valid_from = -3600;  ///< seconds from now
  long valid_until = 3600;
  const Identity* issuer = nullptr;  ///< null: signed by itself
};

/// A certificate with its key.
struct Identity {
  explicit Identity(const CertificateOrder& order = {});
  /// Writes both as PEM to one file.
  void write(const std::string& file) const;
  /// Puts the certificate into a hashed directory.
  void write_hashed(const std::string& directory) const;

  KeyPtr key;
  CertificatePtr certificate;
};

/// What a server shows, with the product's rules otherwise.
std::shared_ptr<ServerContext> server_with(const Identity& identity, int version = 0);

/// Trusts this certificate alone.
std::shared_ptr<ClientContext> client_trusting(const Identity& identity);

/// Both ends. The client's descriptor can be replaced by a relay of the test's.
class ClientLink {
 public:
  ClientLink(ServerContext& server_context, ClientContext& client_context,
             const std::string& host = "localhost", std::uint16_t port = 443);

  /// Until both are through (true) or one can't go on; then the other goes on alone, to see what it is told.
  bool handshake();
  /// All that one end has to read until it waits, ends or fails: see `status`.
  std::string client_read();
  std::string server_read();
  net::IoResult client_write(std::string_view text);
  net::IoResult server_write(std::string_view text);

  std::unique_ptr<SslPipe> server;  ///< before the client, which ends first
  std::unique_ptr<ClientTransport> client;
  net::IoStatus status = net::IoStatus::kOk;  ///< of the client's last handshake() or read()
  net::IoStatus server_status = net::IoStatus::kOk;
};

std::pair<net::UniqueFd, net::UniqueFd> stream_pair();

}  // namespace h2park::tls
