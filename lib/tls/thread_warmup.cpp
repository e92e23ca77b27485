#include "tls/thread_warmup.hpp"

#include "tls/openssl.hpp"

#include <openssl/err.h>

namespace h2park::tls {
namespace {

// Flights of a handshake, with room to spare: it takes four at most.
constexpr int kMaxRounds = 10;

bool step(SSL* ssl) {
  const int result = SSL_do_handshake(ssl);
  return result == 1 || SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ;
}

bool shake_hands(SSL* server, SSL* client) {
  for (int round = 0; round < kMaxRounds; ++round) {
    ERR_clear_error();
    if (!step(client) || !step(server)) return false;
    if (SSL_is_init_finished(client) == 1 && SSL_is_init_finished(server) == 1) return true;
  }
  return false;
}

/// One byte there and back: the record layer has per-thread state as well.
bool exchange_a_byte(SSL* from, SSL* to) {
  char byte = 'x';
  std::size_t n = 0;
  return SSL_write_ex(from, &byte, 1, &n) == 1 && SSL_read_ex(to, &byte, 1, &n) == 1;
}

bool handshake_with_itself(SSL_CTX* server_context, int version) {
  const SslContextPtr client_context(SSL_CTX_new(TLS_client_method()));
  if (!client_context) return false;
  SSL_CTX_set_verify(client_context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_min_proto_version(client_context.get(), version);
  SSL_CTX_set_max_proto_version(client_context.get(), version);
  const SslPtr server(SSL_new(server_context));
  const SslPtr client(SSL_new(client_context.get()));
  BIO* server_side = nullptr;
  BIO* client_side = nullptr;
  if (!server || !client || BIO_new_bio_pair(&server_side, 0, &client_side, 0) != 1) return false;
  SSL_set_bio(server.get(), server_side, server_side);
  SSL_set_bio(client.get(), client_side, client_side);
  SSL_set_accept_state(server.get());
  SSL_set_connect_state(client.get());
  return shake_hands(server.get(), client.get()) && exchange_a_byte(client.get(), server.get()) &&
         exchange_a_byte(server.get(), client.get());
}

}  // namespace

bool warm_up_thread(ServerContext& context) {
  const bool tls12 = handshake_with_itself(context.native(), TLS1_2_VERSION);
  const bool tls13 = handshake_with_itself(context.native(), TLS1_3_VERSION);
  ERR_clear_error();
  return tls12 && tls13;
}

}  // namespace h2park::tls
