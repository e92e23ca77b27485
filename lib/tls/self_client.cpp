#include "tls/self_client.hpp"

#include "tls/openssl.hpp"

#include <openssl/err.h>

#include <array>
#include <new>
#include <string>

namespace h2park::tls {
namespace {

bool set_up(SSL_CTX* context, const SelfClientOptions& options) {
  const int version = options.tls13 ? TLS1_3_VERSION : TLS1_2_VERSION;
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (!options.tickets) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  bool fine = SSL_CTX_set_min_proto_version(context, version) == 1 &&
              SSL_CTX_set_max_proto_version(context, version) == 1;
  if (options.groups != nullptr) {
    // SSL_CTX_set1_groups_list(), less its C cast.
    fine = fine && SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, const_cast<char*>(options.groups)) == 1;
  }
  if (options.suites != nullptr) {
    fine = fine && (options.tls13 ? SSL_CTX_set_ciphersuites(context, options.suites)
                                  : SSL_CTX_set_cipher_list(context, options.suites)) == 1;
  }
  const std::string_view name = options.protocols;
  const std::string wire = name.empty() ? "" : static_cast<char>(name.size()) + std::string(name);
  return fine && SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(wire.data()),
                                         static_cast<unsigned>(wire.size())) == 0;
}

}  // namespace

void SelfClient::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void SelfClient::Free::operator()(ssl_st* ssl) const {
  // As one that ended properly: the library spoils the session of any other.
  SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl);
}

SelfClient::SelfClient(const SelfClientOptions& options) : context_(SSL_CTX_new(TLS_client_method())) {
  if (context_ && set_up(context_.get(), options)) ssl_.reset(SSL_new(context_.get()));
  ERR_clear_error();
  if (!ssl_) throw std::bad_alloc();
  SSL_set_connect_state(ssl_.get());
}

SelfClient::~SelfClient() = default;

void SelfClient::use_socket(int descriptor) {
  if (SSL_set_fd(ssl_.get(), descriptor) != 1) throw std::bad_alloc();
}

bool SelfClient::step() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  const bool going_on = result == 1 || SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
  ERR_clear_error();
  return going_on;
}

bool SelfClient::done() const { return SSL_is_init_finished(ssl_.get()) == 1; }

void SelfClient::read() {
  std::array<char, 4096> room;
  std::size_t n = 0;
  ERR_clear_error();
  while (SSL_read_ex(ssl_.get(), room.data(), room.size(), &n) == 1) {
  }
  ERR_clear_error();
}

bool SelfClient::write(std::string_view bytes) {
  std::size_t n = 0;
  ERR_clear_error();
  const bool written = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &n) == 1 && n == bytes.size();
  ERR_clear_error();
  return written;
}

void SelfClient::update_key(bool both) {
  SSL_key_update(ssl_.get(), both ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
}

void SelfClient::say_goodbye() {
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

SelfClient::Session SelfClient::session() const { return {SSL_get1_session(ssl_.get()), &SSL_SESSION_free}; }

void SelfClient::resume(const Session& session) { SSL_set_session(ssl_.get(), session.get()); }

}  // namespace h2park::tls
