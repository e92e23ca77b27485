#include "support/tls_client.hpp"

#include <openssl/err.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace h2park::tls {
namespace {

// As main() does: the library writes with write().
const auto kNoSigpipe = ::signal(SIGPIPE, SIG_IGN);

std::pair<net::UniqueFd, net::UniqueFd> socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  return {net::UniqueFd(ends[0]), net::UniqueFd(ends[1])};
}

std::string wire_form(const std::vector<std::string>& names) {
  std::string wire;
  for (const std::string& name : names) wire += static_cast<char>(name.size()) + name;
  return wire;
}

}  // namespace

TlsClient::TlsClient(const TlsClientOptions& options) : context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX_set_min_proto_version(context_.get(), options.version);
  SSL_CTX_set_max_proto_version(context_.get(), options.version);
  if (options.version < TLS1_2_VERSION) SSL_CTX_set_security_level(context_.get(), 0);
  if (!options.ciphers.empty() && SSL_CTX_set_cipher_list(context_.get(), options.ciphers.c_str()) != 1)
    std::abort();
  if (!options.suites.empty() && SSL_CTX_set_ciphersuites(context_.get(), options.suites.c_str()) != 1)
    std::abort();
  if (!options.groups.empty() && SSL_CTX_ctrl(context_.get(), SSL_CTRL_SET_GROUPS_LIST, 0,
                                              const_cast<char*>(options.groups.c_str())) != 1)
    std::abort();
  SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS);  // what stays allocated is the server's
  SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context_.get(), &remember_session);
  if (!options.tickets) SSL_CTX_set_options(context_.get(), SSL_OP_NO_TICKET);
  ssl_.reset(SSL_new(context_.get()));
  SSL_set_app_data(ssl_.get(), this);
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(ssl_.get());
  const std::string alpn = wire_form(options.alpn);
  if (!alpn.empty()) {
    SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                        static_cast<unsigned>(alpn.size()));
  }
  if (!options.server_name.empty()) {
    SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(options.server_name.c_str()));
  }
  if (options.resume != nullptr) SSL_set_session(ssl_.get(), options.resume);
}

int TlsClient::remember_session(SSL* ssl, SSL_SESSION* session) {
  auto* self = static_cast<TlsClient*>(SSL_get_app_data(ssl));
  self->session_.reset(session);
  ++self->tickets_;
  return 1;  // ours now
}

SessionPtr TlsClient::session() const {
  // The callback does not tell of a ticket that a resumed TLS 1.2 handshake brought.
  if (SSL_version(ssl_.get()) != TLS1_3_VERSION) return SessionPtr(SSL_get1_session(ssl_.get()));
  if (session_) SSL_SESSION_up_ref(session_.get());
  return SessionPtr(session_.get());
}

bool TlsClient::handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1 || SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return true;
  reason_ = reason_text(ERR_peek_error());
  ERR_clear_error();
  return false;
}

std::string TlsClient::read() {
  std::string text;
  std::array<char, 16384> room;
  std::size_t n = 0;
  ERR_clear_error();
  while (SSL_read_ex(ssl_.get(), room.data(), room.size(), &n) == 1) text.append(room.data(), n);
  if (SSL_get_error(ssl_.get(), 0) == SSL_ERROR_SSL) reason_ = reason_text(ERR_peek_error());
  ERR_clear_error();
  return text;
}

void TlsClient::write(std::string_view text) {
  std::size_t n = 0;
  if (SSL_write_ex(ssl_.get(), text.data(), text.size(), &n) != 1 || n != text.size()) std::abort();
}

std::string TlsClient::take_output(std::size_t limit) {
  BIO* out = SSL_get_wbio(ssl_.get());
  std::string bytes(std::min(limit, BIO_ctrl_pending(out)), '\0');
  if (!bytes.empty()) BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

void TlsClient::put_input(std::string_view bytes) {
  BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
}

Link::Link(ServerContext& context, const TlsClientOptions& options, std::pmr::memory_resource* memory)
    : Link(context, options, memory, socket_pair()) {}

Link::Link(ServerContext& context, const TlsClientOptions& options, std::pmr::memory_resource* memory,
           std::pair<net::UniqueFd, net::UniqueFd> ends)
    : client(options),
      wire(std::move(ends.first)),
      server(*std::pmr::polymorphic_allocator<>(memory).new_object<ServerTransport>(context,
                                                                                    std::move(ends.second))),
      memory_(memory) {}

void Link::to_server(std::string_view bytes) {
  if (!bytes.empty() && ::send(wire.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != std::ssize(bytes))
    std::abort();
}

void Link::to_client() {
  std::array<char, 65536> room;
  ssize_t n = 0;
  while ((n = ::recv(wire.get(), room.data(), room.size(), 0)) > 0) {
    client.put_input({room.data(), static_cast<std::size_t>(n)});
  }
}

void Link::carry() {
  to_server(client.take_output());
  to_client();
}

bool Link::handshake(std::size_t slice) {
  bool client_alive = true;
  // Until neither has had anything to say for a while: what one end says last may be an alert.
  for (int quiet = 0; quiet < 3;) {
    client_alive = client_alive && client.handshake();
    const std::string out = client.take_output(slice);
    to_server(out);
    before_call();
    status = server.handshake();
    to_client();
    quiet = out.empty() ? quiet + 1 : 0;
  }
  if (client_alive && client.done()) client.read();  // the tickets of TLS 1.3 come after the handshake
  return client_alive && client.done() && status == net::IoStatus::kOk;
}

std::string Link::server_read(std::size_t room_bytes) {
  std::string text;
  std::string room(room_bytes, '\0');
  for (;;) {
    before_call();
    const net::IoResult result = server.read(std::as_writable_bytes(std::span(room)));
    status = result.status;
    if (status != net::IoStatus::kOk) return text;
    text.append(room, 0, result.bytes);
  }
}

net::IoResult Link::server_write(std::string_view text) {
  before_call();
  return server.write(std::as_bytes(std::span(text)));
}

}  // namespace h2park::tls
