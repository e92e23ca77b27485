#include "tls/client_transport.hpp"

#include "client_peer.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <array>
#include <string>

namespace h2park::tls {
namespace {

using net::IoResult;
using net::IoStatus;

/// Text in which no two places look alike, so that a lost or repeated piece shows.
std::string numbered_text(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ' ';
  text.resize(bytes);
  return text;
}

class TlsClientTransport : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ASSERT_TRUE(link.handshake()) << link.client->error_text(); }
  void TearDown() override { EXPECT_EQ(ERR_peek_error(), 0U) << "left in the thread's error queue"; }

  Identity identity;
  std::shared_ptr<ServerContext> server = server_with(identity, GetParam());
  std::shared_ptr<ClientContext> context = client_trusting(identity);
  ClientLink link{*server, *context};
};

INSTANTIATE_TEST_SUITE_P(Tls, TlsClientTransport, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(TlsClientTransport, TellsWhatWasAgreedUpon) {
  const bool tls13 = GetParam() == TLS1_3_VERSION;
  EXPECT_EQ(link.client->protocol(), tls13 ? "TLSv1.3" : "TLSv1.2");
  EXPECT_EQ(link.client->cipher(), SSL_CIPHER_standard_name(SSL_get_current_cipher(link.server->native())));
  EXPECT_EQ(link.client->alpn(), "http/1.1");
  EXPECT_EQ(link.server->alpn(), "http/1.1");
  EXPECT_TRUE(link.client->secure());
  EXPECT_FALSE(link.client->resumed());
  EXPECT_EQ(link.client->verify_result(), X509_V_OK);
  EXPECT_EQ(link.client->handshake_fault(), HandshakeFault::kNone);
  EXPECT_EQ(link.client->error_text(), "");
}

TEST_P(TlsClientTransport, CarriesBytesBothWays) {
  EXPECT_EQ(link.client_write("request").bytes, 7U);
  EXPECT_EQ(link.server_read(), "request");
  link.server_write("response");
  EXPECT_EQ(link.client_read(), "response");
  EXPECT_EQ(link.status, IoStatus::kWantRead);
  EXPECT_FALSE(link.client->has_pending());
}

TEST_P(TlsClientTransport, TellsThatDecryptedBytesWaitInside) {
  link.client_read();
  link.server_write("hello");
  link.server_write("again");
  std::array<std::byte, 5> room{};
  ASSERT_EQ(link.client->read(room).bytes, 5U);
  EXPECT_TRUE(link.client->has_pending());
  ASSERT_EQ(link.client->read(room).bytes, 5U);
  EXPECT_FALSE(link.client->has_pending());
}

TEST_P(TlsClientTransport, CarriesLargeBodiesThroughTinySocketBuffers) {
  const int small = 4096;
  for (const int fd : {link.client->descriptor(), link.server->descriptor()}) {
    ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  }
  const std::string body = numbered_text(200'000);
  std::string up;
  std::string down;
  std::size_t up_sent = 0;
  std::size_t down_sent = 0;
  int blocked = 0;
  while (up_sent < body.size() || down_sent < body.size()) {
    // A copy: the same bytes at another address each time.
    if (up_sent < body.size()) {
      const IoResult result = link.client_write(std::string(body.substr(up_sent)));
      ASSERT_TRUE(result.status == IoStatus::kOk || result.status == IoStatus::kWantWrite)
          << link.client->error_text();
      up_sent += result.bytes;
      blocked += result.status == IoStatus::kWantWrite;
    }
    if (down_sent < body.size()) down_sent += link.server_write(body.substr(down_sent)).bytes;
    up += link.server_read();
    down += link.client_read();
  }
  EXPECT_EQ(up + link.server_read(), body);
  EXPECT_EQ(down + link.client_read(), body);
  EXPECT_GT(blocked, 5);
}

TEST_P(TlsClientTransport, SaysGoodbyeBeforeItsEndAndStillReads) {
  link.client_write("bye");
  link.client->shutdown_write();
  EXPECT_EQ(link.server_read(), "bye");
  EXPECT_EQ(link.server_status, IoStatus::kEof);
  EXPECT_FALSE(link.server->truncated());
  char byte = 0;
  EXPECT_EQ(::recv(link.server->descriptor(), &byte, 1, 0), 0);  // and then FIN
  link.server_write("late");
  EXPECT_EQ(link.client_read(), "late");
}

TEST_P(TlsClientTransport, TellsAGoodbyeFromATruncation) {
  link.server_write("whole");
  link.server->shutdown_write();
  EXPECT_EQ(link.client_read(), "whole");
  EXPECT_EQ(link.status, IoStatus::kEof);
  EXPECT_FALSE(link.client->truncated());

  ClientLink cut(*server, *context);
  ASSERT_TRUE(cut.handshake());
  cut.server_write("cut");
  ::shutdown(cut.server->descriptor(), SHUT_WR);
  EXPECT_EQ(cut.client_read(), "cut");
  EXPECT_EQ(cut.status, IoStatus::kEof);
  EXPECT_TRUE(cut.client->truncated());
}

TEST_P(TlsClientTransport, ResumesOnTheNextConnection) {
  link.client_read();  // tickets of TLS 1.3 come after the handshake
  ClientLink second(*server, *context);
  ASSERT_TRUE(second.handshake());
  EXPECT_TRUE(second.client->resumed());
  EXPECT_EQ(SSL_session_reused(second.server->native()), 1);
  EXPECT_EQ(second.client->verify_result(), X509_V_OK);
  EXPECT_NE(second.client->describe_certificate(), "");
  second.server_write("x");
  EXPECT_EQ(second.client_read(), "x");
}

TEST_P(TlsClientTransport, UsesATicketOfTls13Once) {
  link.client_read();
  ClientLink second(*server, *context);
  ClientLink third(*server, *context);
  ASSERT_TRUE(second.handshake());
  ASSERT_TRUE(third.handshake());
  EXPECT_TRUE(second.client->resumed());
  EXPECT_EQ(third.client->resumed(), GetParam() == TLS1_2_VERSION);
  // Each resumption brings the next one.
  second.client_read();
  ClientLink fourth(*server, *context);
  ASSERT_TRUE(fourth.handshake());
  EXPECT_TRUE(fourth.client->resumed());
}

TEST_P(TlsClientTransport, OffersATicketToItsOwnServerOnly) {
  link.client_read();
  ClientLink other_port(*server, *context, "localhost", 8443);
  ASSERT_TRUE(other_port.handshake());
  EXPECT_FALSE(other_port.client->resumed());
  ClientLink other_host(*server, *context, "127.0.0.1");
  ASSERT_TRUE(other_host.handshake());
  EXPECT_FALSE(other_host.client->resumed());
}

TEST_P(TlsClientTransport, ResumesAfterConnectionsThatEndedWithoutGoodbye) {
  link.client_read();
  link.client.reset();
  ClientLink second(*server, *context);
  ASSERT_TRUE(second.handshake());
  EXPECT_TRUE(second.client->resumed());
}

TEST_P(TlsClientTransport, LivesOnWithoutItsContext) {
  context.reset();
  link.server_write("still");
  EXPECT_EQ(link.client_read(), "still");
  link.client->shutdown_write();
}

TEST_P(TlsClientTransport, SaysWhyARecordWasRefused) {
  link.client_read();
  const std::string junk("\x17\x03\x03\x00\x20 not what the keys make of it 123", 37);
  ASSERT_EQ(::send(link.server->descriptor(), junk.data(), junk.size(), 0), std::ssize(junk));
  EXPECT_EQ(link.client_read(), "");
  EXPECT_EQ(link.status, IoStatus::kError);
  EXPECT_EQ(link.client->error_text(), "decryption failed or bad record mac");
  EXPECT_EQ(link.client_write("x").status, IoStatus::kError);
  link.client->shutdown_write();  // harmless
}

TEST_P(TlsClientTransport, SaysThatThePeerIsGone) {
  link.server.reset();
  IoResult result;
  for (int i = 0; i < 2 && result.status == IoStatus::kOk; ++i) result = link.client_write("x");
  EXPECT_EQ(result.status, IoStatus::kError);
  EXPECT_EQ(link.client->error_text(), "Broken pipe");
}

TEST_P(TlsClientTransport, DescribesTheCertificateLineByLine) {
  const std::string text = link.client->describe_certificate();
  EXPECT_TRUE(text.starts_with("subject: CN = localhost\nissuer: CN = localhost\nvalid from: 20")) << text;
  EXPECT_NE(text.find("\nvalid until: 20"), std::string::npos) << text;
}

class Tls12ClientTransport : public TlsClientTransport {};
INSTANTIATE_TEST_SUITE_P(Tls, Tls12ClientTransport, testing::Values(TLS1_2_VERSION));

TEST_P(Tls12ClientTransport, RefusesToNegotiateAgain) {
  SSL* ssl = link.server->native();
  SSL_clear_options(ssl, SSL_OP_NO_RENEGOTIATION);
  ASSERT_EQ(SSL_renegotiate(ssl), 1);
  link.server->handshake();  // asks for it
  EXPECT_EQ(link.client_read(), "");
  EXPECT_EQ(link.status, IoStatus::kWantRead);
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.server_status, IoStatus::kError);
  EXPECT_EQ(link.server->error_text(), "no renegotiation");
}

class Tls13ClientTransport : public TlsClientTransport {};
INSTANTIATE_TEST_SUITE_P(Tls, Tls13ClientTransport, testing::Values(TLS1_3_VERSION));

TEST_P(Tls13ClientTransport, FollowsNewKeysOfTheServer) {
  for (const int kind : {SSL_KEY_UPDATE_NOT_REQUESTED, SSL_KEY_UPDATE_REQUESTED}) {
    ASSERT_EQ(SSL_key_update(link.server->native(), kind), 1);
    link.server_write("with a new key");
    EXPECT_EQ(link.client_read(), "with a new key");
    EXPECT_EQ(link.status, IoStatus::kWantRead);
    link.client_write("with mine");
    EXPECT_EQ(link.server_read(), "with mine");
  }
}

}  // namespace
}  // namespace h2park::tls
