// What a client makes of the servers it meets: names, trust, its own certificate, refusals.
#include "client_peer.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace h2park::tls {
namespace {

using net::IoStatus;

class ClientHandshake : public testing::TestWithParam<int> {
 protected:
  ClientHandshake() { identity.write(files.file("ca.pem")); }
  ~ClientHandshake() override { EXPECT_EQ(ERR_peek_error(), 0U) << "left in the thread's error queue"; }

  void expect_distrust(ClientLink& link, std::string_view text, long result) {
    EXPECT_FALSE(link.handshake());
    EXPECT_EQ(link.status, IoStatus::kError);
    EXPECT_EQ(link.client->handshake_fault(), HandshakeFault::kUntrusted);
    EXPECT_EQ(link.client->error_text(), text);
    EXPECT_EQ(link.client->verify_result(), result);
    EXPECT_EQ(link.server_status, IoStatus::kError);  // it is told with an alert
  }

  CertificateFiles files;
  Identity identity;
};

INSTANTIATE_TEST_SUITE_P(Tls, ClientHandshake, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(ClientHandshake, SendsTheNameOfAHostAndNoneOfAnAddress) {
  const auto server = server_with(identity, GetParam());
  const auto context = client_trusting(identity);
  const std::vector<std::pair<std::string, std::string>> cases{{"localhost", "localhost"},
                                                               {"localhost.", "localhost"},
                                                               {"LOCALHOST", "LOCALHOST"},
                                                               {"127.0.0.1", ""},
                                                               {"::1", ""},
                                                               {"[::1]", ""}};
  for (const auto& [host, sni] : cases) {
    ClientLink link(*server, *context, host);
    EXPECT_TRUE(link.handshake()) << host << ": " << link.client->error_text();
    const char* name = SSL_get_servername(link.server->native(), TLSEXT_NAMETYPE_host_name);
    EXPECT_EQ(name == nullptr ? "" : std::string(name), sni) << host;
  }
}

TEST_P(ClientHandshake, AcceptsAnAddressWithAScope) {
  const Identity scoped({.names = "IP:fe80::1"});
  const auto server = server_with(scoped, GetParam());
  ClientLink link(*server, *client_trusting(scoped), "fe80::1%lo");
  EXPECT_TRUE(link.handshake()) << link.client->error_text();
}

TEST_P(ClientHandshake, RefusesACertificateForAnotherName) {
  const auto server = server_with(identity, GetParam());
  const auto context = client_trusting(identity);
  for (const std::string host : {"example.org", "127.0.0.2", "::2", "sub.localhost"}) {
    ClientLink link(*server, *context, host);
    const bool name = host.find_first_not_of("0123456789.:") != std::string::npos;
    expect_distrust(link, "certificate is not valid for '" + host + "'",
                    name ? X509_V_ERR_HOSTNAME_MISMATCH : X509_V_ERR_IP_ADDRESS_MISMATCH);
  }
  ClientLink endless(*server, *context, std::string(300, 'x'));
  EXPECT_FALSE(endless.handshake());
  EXPECT_EQ(endless.client->handshake_fault(), HandshakeFault::kUntrusted);
}

TEST_P(ClientHandshake, TakesWildcardsForOneWholeLabelOnly) {
  const Identity wild({.names = "DNS:*.example.org,DNS:w*.example.net"});
  const auto server = server_with(wild, GetParam());
  const auto context = client_trusting(wild);
  ClientLink link(*server, *context, "www.example.org");
  EXPECT_TRUE(link.handshake()) << link.client->error_text();
  for (const std::string host : {"example.org", "a.b.example.org", "www.example.net"}) {
    ClientLink other(*server, *context, host);
    expect_distrust(other, "certificate is not valid for '" + host + "'", X509_V_ERR_HOSTNAME_MISMATCH);
  }
}

TEST_P(ClientHandshake, RefusesAnUntrustedCertificate) {
  const auto server = server_with(identity, GetParam());
  ClientLink link(*server, *client_trusting(Identity({.subject = "other"})));
  expect_distrust(link, "certificate verify failed: self-signed certificate",
                  X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
}

TEST_P(ClientHandshake, RefusesACertificateOutOfItsTime) {
  const Identity expired({.valid_from = -7200, .valid_until = -3600});
  const auto server = server_with(expired, GetParam());
  ClientLink link(*server, *client_trusting(expired));
  expect_distrust(link, "certificate verify failed: certificate has expired", X509_V_ERR_CERT_HAS_EXPIRED);

  const Identity early({.valid_from = 3600, .valid_until = 7200});
  const auto early_server = server_with(early, GetParam());
  ClientLink other(*early_server, *client_trusting(early));
  expect_distrust(other, "certificate verify failed: certificate is not yet valid",
                  X509_V_ERR_CERT_NOT_YET_VALID);
}

TEST_P(ClientHandshake, AcceptsAnythingWithoutVerificationAndSaysWhatItIs) {
  const Identity expired({.valid_from = -7200, .valid_until = -3600});
  const auto server = server_with(expired, GetParam());
  const auto context = ClientContext::make({.verify = false}).value();
  ClientLink link(*server, *context, "example.org");
  EXPECT_TRUE(link.handshake()) << link.client->error_text();
  EXPECT_NE(link.client->verify_result(), X509_V_OK);
  EXPECT_EQ(link.client->handshake_fault(), HandshakeFault::kNone);
}

TEST_P(ClientHandshake, TrustsTheSystemsStoreAndWhatTheEnvironmentNamesInItsPlace) {
  const auto server = server_with(identity, GetParam());
  identity.write_hashed(files.file(""));
  for (const char* variable : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    const std::string value =
        variable == std::string("SSL_CERT_FILE") ? files.file("ca.pem") : files.file("");
    ::setenv(variable, value.c_str(), 1);
    const auto context = ClientContext::make({}).value();
    ClientLink link(*server, *context);
    EXPECT_TRUE(link.handshake()) << variable << ": " << link.client->error_text();
    ::unsetenv(variable);
  }
  ClientLink link(*server, *ClientContext::make({}).value());
  expect_distrust(link, "certificate verify failed: self-signed certificate",
                  X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
}

TEST_P(ClientHandshake, TrustsAHashedDirectory) {
  const auto server = server_with(identity, GetParam());
  identity.write_hashed(files.file(""));
  ClientLink link(*server, *ClientContext::make({.ca_directory = files.file("")}).value());
  EXPECT_TRUE(link.handshake()) << link.client->error_text();
}

TEST_P(ClientHandshake, TrustsWhatStandsInTheCaFileThoughItsIssuerDoesNot) {
  const Identity issuer({.subject = "issuer"});
  const Identity leaf({.issuer = &issuer});
  const auto server = server_with(leaf, GetParam());
  ClientLink link(*server, *client_trusting(leaf));
  EXPECT_TRUE(link.handshake()) << link.client->error_text();
  ClientLink other(*server, *client_trusting(identity));
  expect_distrust(other, "certificate verify failed: unable to get local issuer certificate",
                  X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
}

TEST_P(ClientHandshake, ShowsItsOwnCertificate) {
  const Identity own({.subject = "me"});
  own.write(files.file("me.pem"));
  const auto server = server_with(identity, GetParam());
  SSL_CTX_set_verify(server->native(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     [](int, X509_STORE_CTX*) { return 1; });
  const auto context =
      ClientContext::make({.ca_file = files.file("ca.pem"), .certificate = files.file("me.pem")}).value();
  ClientLink link(*server, *context);
  ASSERT_TRUE(link.handshake()) << link.client->error_text();
  const X509* shown = SSL_get0_peer_certificate(link.server->native());
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(X509_cmp(shown, own.certificate.get()), 0);
}

TEST_P(ClientHandshake, SaysThatTheServerWantsACertificate) {
  const auto server = server_with(identity, GetParam());
  SSL_CTX_set_verify(server->native(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  ClientLink link(*server, *client_trusting(identity));
  EXPECT_FALSE(link.handshake());
  link.client_read();  // a client of TLS 1.3 is through before the server has seen its (missing) certificate
  EXPECT_EQ(link.status, IoStatus::kError);
  EXPECT_EQ(link.client->error_text(), GetParam() == TLS1_3_VERSION
                                           ? "the server sent the alert 'certificate required'"
                                           : "the server sent the alert 'handshake failure'");
}

TEST_P(ClientHandshake, PassesOnTheServersAlert) {
  const auto server = server_with(identity, GetParam());
  const bool tls13 = GetParam() == TLS1_3_VERSION;
  // Nothing in common: a cipher of RSA's with a key of another kind; a group that no client of ours offers.
  ASSERT_EQ(tls13
                ? SSL_CTX_ctrl(server->native(), SSL_CTRL_SET_GROUPS_LIST, 0, const_cast<char*>("ffdhe8192"))
                : SSL_CTX_set_cipher_list(server->native(), "ECDHE-RSA-AES128-GCM-SHA256"),
            1);
  if (tls13) SSL_CTX_set_ciphersuites(server->native(), "TLS_AES_128_CCM_8_SHA256");
  ClientLink link(*server, *client_trusting(identity));
  EXPECT_FALSE(link.handshake());
  EXPECT_EQ(link.status, IoStatus::kError);
  EXPECT_EQ(link.client->handshake_fault(), HandshakeFault::kProtocol);
  EXPECT_EQ(link.client->error_text(), "the server sent the alert 'handshake failure'");
}

TEST_P(ClientHandshake, RefusesOlderVersions) {
  const auto server = server_with(identity);
  SSL_CTX_set_min_proto_version(server->native(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(server->native(), TLS1_1_VERSION);
  SSL_CTX_set_security_level(server->native(), 0);
  SSL_CTX_set_cipher_list(server->native(), "ALL");
  ClientLink link(*server, *client_trusting(identity));
  EXPECT_FALSE(link.handshake());
  EXPECT_EQ(link.client->handshake_fault(), HandshakeFault::kProtocol);
  EXPECT_EQ(link.client->error_text(), "the server sent the alert 'protocol version'");
}

TEST_P(ClientHandshake, GoesOnByteByByte) {
  const auto server_context = server_with(identity, GetParam());
  auto [server_end, relay_out] = stream_pair();
  auto [client_end, relay_in] = stream_pair();
  SslPipe server(server_context->native(), std::move(server_end), Side::kServer);
  const auto client = connect(*client_trusting(identity), std::move(client_end), "localhost", 443);
  int waits = 0;
  IoStatus status = IoStatus::kWantRead;
  std::array<char, 1> byte{};
  for (int quiet = 0; quiet < 2;) {
    const bool more = status != IoStatus::kOk;
    if (more) status = client->handshake();
    waits += status == IoStatus::kWantRead;
    server.handshake();
    bool moved = false;
    if (::recv(relay_in.get(), byte.data(), 1, 0) == 1)
      moved = ::send(relay_out.get(), byte.data(), 1, 0) == 1;
    if (::recv(relay_out.get(), byte.data(), 1, 0) == 1)
      moved = ::send(relay_in.get(), byte.data(), 1, 0) == 1;
    quiet = moved ? 0 : quiet + 1;
  }
  EXPECT_EQ(status, IoStatus::kOk) << client->error_text();
  EXPECT_GT(waits, 500);
}

TEST(ClientHandshake, SaysThatTheServerDoesNotSpeakTls) {
  const auto context = ClientContext::make({}).value();
  for (const std::string answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
                                   "220 mail ESMTP ready\r\n"}) {
    auto [near, far] = stream_pair();
    const auto client = connect(*context, std::move(near), "localhost", 80);
    ASSERT_EQ(client->handshake(), IoStatus::kWantRead);
    ASSERT_EQ(::send(far.get(), answer.data(), answer.size(), 0), std::ssize(answer));
    EXPECT_EQ(client->handshake(), IoStatus::kError);
    EXPECT_EQ(client->handshake_fault(), HandshakeFault::kProtocol);
    EXPECT_EQ(client->error_text(), "the server does not answer with TLS") << answer;
    EXPECT_EQ(ERR_peek_error(), 0U);
    client->shutdown_write();
  }
}

TEST(ClientHandshake, TellsAServerThatCloses) {
  const auto context = ClientContext::make({}).value();
  auto [near, far] = stream_pair();
  const auto client = connect(*context, std::move(near), "localhost", 443);
  ASSERT_EQ(client->handshake(), IoStatus::kWantRead);
  ::shutdown(far.get(), SHUT_WR);
  EXPECT_EQ(client->handshake(), IoStatus::kEof);
  EXPECT_EQ(client->handshake_fault(), HandshakeFault::kProtocol);
}

}  // namespace
}  // namespace h2park::tls
