#include "tls/server_transport.hpp"

#include "tls/openssl.hpp"

namespace h2park::tls {

ServerTransport::ServerTransport(ServerContext& context, net::UniqueFd socket)
    : pipe_(context.native(), std::move(socket), Side::kServer) {}

http::TlsInfo ServerTransport::info() const {
  const SSL* ssl = pipe_.native();
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  return {.version = SSL_get_version(ssl),
          .cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl)),
          .alpn = std::string(alpn()),
          .server_name = name == nullptr ? "" : name,
          .resumed = SSL_session_reused(ssl) == 1};
}

std::unique_ptr<net::Transport> accept(ServerContext& context, net::UniqueFd socket) {
  return std::make_unique<ServerTransport>(context, std::move(socket));
}

}  // namespace h2park::tls
