#include "tls/server_context.hpp"

#include "tls/certificate.hpp"
#include "tls/openssl.hpp"
#include "tls/ticket_callback.hpp"

#include <openssl/err.h>

#include <array>

namespace h2park::tls {
namespace {

// RFC 9113 9.2.2 and its Appendix A: only ephemeral key exchange with an AEAD cipher is left of TLS 1.2.
// AES-128 comes first in both versions: it is no weaker for all that anybody knows, faster, and with SHA-256
// beside it a connection's secrets take a third less memory.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM+AES128:ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* kTls13Suites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
// RFC 7919's groups cost a server milliseconds per handshake, and every client that has TLS 1.3 knows one of
// these.
constexpr char kGroups[] = "X25519:P-256:X448:P-521:P-384";
// In the order of our preference, each after its length (RFC 7301 3.1).
constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
// Each ticket costs a seal and some 250 bytes per handshake. A client keeps one per server and gets another
// with each resumption; the library's default of two is for clients that resume several connections at once.
constexpr int kTickets = 1;
// Sessions only resume where this matches; a name of ours, so that a reloaded context takes the old one's
// tickets.
constexpr std::array<unsigned char, 6> kSessionContext{'h', '2', 'p', 'a', 'r', 'k'};

int select_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
  unsigned char* match = nullptr;
  const int found =
      SSL_select_next_proto(&match, length, kProtocols, sizeof kProtocols - 1, offered, offered_length);
  if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

/// Any name will do; saying so acknowledges it (RFC 6066 3) and keeps it with a resumed TLS 1.2 session.
int accept_name(SSL* ssl, int*, void*) {
  return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) != nullptr ? SSL_TLSEXT_ERR_OK
                                                                       : SSL_TLSEXT_ERR_NOACK;
}

bool set_rules(SSL_CTX* context) {
  SSL_CTX_set_options(context,
                      SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                          SSL_OP_PRIORITIZE_CHACHA |
                          // A FIN without close_notify still lets us answer: ServerTransport tells it apart.
                          SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // A record's header and body in one system call.
  SSL_CTX_set_read_ahead(context, 1);
  // A cached session would outlive its connection.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, TicketKeys::kPeriod.count());
  SSL_CTX_set_alpn_select_cb(context, &select_protocol, nullptr);
  // What SSL_CTX_set_tlsext_servername_callback() is, less its C cast.
  SSL_CTX_callback_ctrl(context, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB,
                        reinterpret_cast<void (*)()>(&accept_name));
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, kTls12Ciphers) == 1 &&
         SSL_CTX_set_ciphersuites(context, kTls13Suites) == 1 &&
         // What SSL_CTX_set1_groups_list() is, less its C cast.
         SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, const_cast<char*>(kGroups)) == 1 &&
         SSL_CTX_set_max_early_data(context, 0) == 1 && SSL_CTX_set_num_tickets(context, kTickets) == 1 &&
         SSL_CTX_set_session_id_context(context, kSessionContext.data(), kSessionContext.size()) == 1;
}

Result<SslContextPtr> make_context(std::shared_ptr<TicketKeys> tickets) {
  ERR_clear_error();
  SslContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context || !set_rules(context.get()) || !seal_tickets_with(context.get(), std::move(tickets))) {
    return fail("cannot set up TLS: " + take_reason());
  }
  return context;
}

}  // namespace

ServerContext::ServerContext(ssl_ctx_st* context)
    : context_(context), fingerprint_(fingerprint_of(context)) {}

ServerContext::~ServerContext() { SSL_CTX_free(context_); }

Result<std::shared_ptr<ServerContext>> ServerContext::from_files(const std::string& certificate,
                                                                 const std::string& key,
                                                                 std::shared_ptr<TicketKeys> tickets) {
  auto context = make_context(std::move(tickets));
  if (!context) return std::unexpected(context.error());
  if (auto used = use_files(context->get(), certificate, key); !used) return std::unexpected(used.error());
  return std::shared_ptr<ServerContext>(new ServerContext(context->release()));
}

Result<std::shared_ptr<ServerContext>> ServerContext::self_signed(std::shared_ptr<TicketKeys> tickets) {
  auto context = make_context(std::move(tickets));
  if (!context) return std::unexpected(context.error());
  if (auto used = use_self_signed(context->get()); !used) return std::unexpected(used.error());
  return std::shared_ptr<ServerContext>(new ServerContext(context->release()));
}

}  // namespace h2park::tls
