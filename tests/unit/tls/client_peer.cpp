#include "client_peer.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace h2park::tls {
namespace {

// As main() does: the library writes with write().
const auto kNoSigpipe = ::signal(SIGPIPE, SIG_IGN);

void require(bool fine) {
  if (!fine) std::abort();
}

std::string read_all(auto& end, net::IoStatus& status) {
  std::string text;
  std::array<char, 5000> room;
  for (;;) {
    const net::IoResult result = end.read(std::as_writable_bytes(std::span(room)));
    status = result.status;
    if (status != net::IoStatus::kOk) return text;
    text.append(room.data(), result.bytes);
  }
}

}  // namespace

Identity::Identity(const CertificateOrder& order) : key(CertificateFiles::ec_key()), certificate(X509_new()) {
  X509* x = certificate.get();
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x), std::rand() + 1L);
  X509_gmtime_adj(X509_getm_notBefore(x), order.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(x), order.valid_until);
  X509_set_pubkey(x, key.get());
  const auto* name = reinterpret_cast<const unsigned char*>(order.subject.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8, name, -1, -1, 0);
  const Identity& issuer = order.issuer != nullptr ? *order.issuer : *this;
  X509_set_issuer_name(x, X509_get_subject_name(issuer.certificate.get()));
  if (!order.names.empty()) {
    X509_EXTENSION* names = X509V3_EXT_nconf_nid(nullptr, nullptr, NID_subject_alt_name, order.names.c_str());
    require(names != nullptr && X509_add_ext(x, names, -1) == 1);
    X509_EXTENSION_free(names);
  }
  require(X509_sign(x, issuer.key.get(), EVP_sha256()) > 0);
}

void Identity::write(const std::string& file) const {
  const BioPtr out(BIO_new_file(file.c_str(), "w"));
  require(PEM_write_bio_X509(out.get(), certificate.get()) == 1);
  require(PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
}

void Identity::write_hashed(const std::string& directory) const {
  std::array<char, 16> hash{};
  std::snprintf(hash.data(), hash.size(), "%08lx.0",
                X509_NAME_hash_ex(X509_get_subject_name(certificate.get()), nullptr, nullptr, nullptr));
  write(directory + "/" + hash.data());
}

std::shared_ptr<ServerContext> server_with(const Identity& identity, int version) {
  auto context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  require(SSL_CTX_use_certificate(context->native(), identity.certificate.get()) == 1);
  require(SSL_CTX_use_PrivateKey(context->native(), identity.key.get()) == 1);
  if (version != 0) {
    SSL_CTX_set_min_proto_version(context->native(), version);
    SSL_CTX_set_max_proto_version(context->native(), version);
  }
  return context;
}

std::shared_ptr<ClientContext> client_trusting(const Identity& identity) {
  const CertificateFiles files;
  identity.write(files.file("ca.pem"));
  return ClientContext::make({.ca_file = files.file("ca.pem")}).value();
}

std::pair<net::UniqueFd, net::UniqueFd> stream_pair() {
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  return {net::UniqueFd(ends[0]), net::UniqueFd(ends[1])};
}

ClientLink::ClientLink(ServerContext& server_context, ClientContext& client_context, const std::string& host,
                       std::uint16_t port) {
  auto [near, far] = stream_pair();
  server = std::make_unique<SslPipe>(server_context.native(), std::move(far), Side::kServer);
  client = connect(client_context, std::move(near), host, port);
}

bool ClientLink::handshake() {
  using enum net::IoStatus;
  constexpr int kEnoughRounds = 10;  // TLS 1.2 takes two there and back
  for (int round = 0; round < kEnoughRounds; ++round) {
    status = client->handshake();
    server_status = server->handshake();
  }
  return status == kOk && server_status == kOk;
}

std::string ClientLink::client_read() { return read_all(*client, status); }
std::string ClientLink::server_read() { return read_all(*server, server_status); }

net::IoResult ClientLink::client_write(std::string_view text) {
  return client->write(std::as_bytes(std::span(text)));
}
net::IoResult ClientLink::server_write(std::string_view text) {
  return server->write(std::as_bytes(std::span(text)));
}

}  // namespace h2park::tls
