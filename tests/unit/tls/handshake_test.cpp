#include "support/tls_client.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

namespace h2park::tls {
namespace {

using net::IoStatus;

std::shared_ptr<ServerContext> make_context(
    std::shared_ptr<TicketKeys> keys = std::make_shared<TicketKeys>()) {
  auto context = ServerContext::self_signed(std::move(keys));
  EXPECT_TRUE(context) << (context ? "" : context.error().message);
  return context.value_or(nullptr);
}

class Handshake : public testing::TestWithParam<int> {
 protected:
  bool tls13() const { return GetParam() == TLS1_3_VERSION; }
  TlsClientOptions options() const { return {.version = GetParam()}; }
  std::shared_ptr<ServerContext> context_ = make_context();
};

INSTANTIATE_TEST_SUITE_P(Tls, Handshake, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(Handshake, SucceedsHoweverItsBytesAreSliced) {
  for (const std::size_t slice : {1U, 2U, 3U, 7U, 100U, 5000U}) {
    Link link(*context_, options());
    EXPECT_TRUE(link.handshake(slice)) << slice << ": " << link.server.error_text() << link.client.reason();
    link.client.write("ping");
    link.carry();
    EXPECT_EQ(link.server_read(), "ping");
  }
}

TEST_P(Handshake, WaitsForMoreUntilItIsDone) {
  Link link(*context_, options());
  EXPECT_EQ(link.server.handshake(), IoStatus::kWantRead);
  link.client.handshake();
  link.to_server(link.client.take_output(20));
  EXPECT_EQ(link.server.handshake(), IoStatus::kWantRead);
  EXPECT_TRUE(link.handshake());
  EXPECT_EQ(link.server.handshake(), IoStatus::kOk);  // and stays done
}

TEST_P(Handshake, TellsTheFactsAboutTheConnection) {
  TlsClientOptions with = options();
  with.alpn = {"h2"};
  with.server_name = "www.example.org";
  Link link(*context_, with);
  ASSERT_TRUE(link.handshake());
  const http::TlsInfo info = link.server.info();
  EXPECT_EQ(info.version, tls13() ? "TLSv1.3" : "TLSv1.2");
  EXPECT_TRUE(info.cipher.starts_with(tls13() ? "TLS_AES_" : "TLS_ECDHE_ECDSA_WITH_")) << info.cipher;
  EXPECT_EQ(info.alpn, "h2");
  EXPECT_EQ(info.server_name, "www.example.org");
  EXPECT_FALSE(info.resumed);
  EXPECT_TRUE(link.server.secure());
}

TEST_P(Handshake, DoesWithoutAServerName) {
  Link link(*context_, options());
  ASSERT_TRUE(link.handshake());
  EXPECT_EQ(link.server.info().server_name, "");
}

TEST_P(Handshake, PrefersHttp2WhateverTheClientsOrder) {
  for (const auto& [offered, chosen] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"h2"}, "h2"},
           {{"http/1.1"}, "http/1.1"},
           {{"h2", "http/1.1"}, "h2"},
           {{"http/1.1", "h2"}, "h2"},
           {{"spdy/3", "http/1.0", "http/1.1"}, "http/1.1"},
           {{}, ""}}) {
    TlsClientOptions with = options();
    with.alpn = offered;
    Link link(*context_, with);
    ASSERT_TRUE(link.handshake());
    EXPECT_EQ(link.server.alpn(), chosen);
  }
}

TEST_P(Handshake, EndsInAnAlertWithoutACommonProtocol) {
  for (const std::string protocol : {"spdy/3", "h2c", "http/1.0", "H2"}) {
    TlsClientOptions with = options();
    with.alpn = {protocol};
    Link link(*context_, with);
    EXPECT_FALSE(link.handshake());
    EXPECT_EQ(link.status, IoStatus::kError);
    EXPECT_EQ(link.server.error_text(), "no application protocol");
    EXPECT_EQ(link.client.reason(), "tlsv1 alert no application protocol");
  }
}

TEST_P(Handshake, EndsWhenThePeerGivesUp) {
  Link link(*context_, options());
  link.client.handshake();
  link.to_server(link.client.take_output(50));
  EXPECT_EQ(link.server.handshake(), IoStatus::kWantRead);
  link.wire.reset();
  EXPECT_EQ(link.server.handshake(), IoStatus::kEof);
}

TEST_P(Handshake, IsNotConfusedByErrorsThatOthersLeft) {
  Link link(*context_, options());
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
  EXPECT_EQ(link.server.handshake(), IoStatus::kWantRead);
  ASSERT_TRUE(link.handshake());
  std::array<std::byte, 8> room{};
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
  EXPECT_EQ(link.server.read(room).status, IoStatus::kWantRead);
  ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
  EXPECT_EQ(link.server_write("x").status, IoStatus::kOk);
}

TEST_P(Handshake, LeavesNoErrorsToOthers) {
  TlsClientOptions with = options();
  with.alpn = {"nothing"};
  Link link(*context_, with);
  EXPECT_FALSE(link.handshake());
  EXPECT_EQ(ERR_peek_error(), 0UL);
}

TEST_P(Handshake, OutlivesTheContextThatItBeganWith) {
  Link link(*context_, options());
  link.client.handshake();
  link.to_server(link.client.take_output(30));
  EXPECT_EQ(link.server.handshake(), IoStatus::kWantRead);
  context_.reset();  // a reload
  EXPECT_TRUE(link.handshake());
}

TEST(Handshake, SaysThatTheClientSpokePlainHttp) {
  const auto context = make_context();
  Link link(*context);
  link.to_server("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(link.server.handshake(), IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "http request");
  EXPECT_EQ(link.server.handshake(), IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "http request");
}

TEST(Handshake, RefusesTls11) {
  const auto context = make_context();
  Link link(*context, {.version = TLS1_1_VERSION});
  EXPECT_FALSE(link.handshake());
  EXPECT_EQ(link.status, IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "unsupported protocol");
}

TEST(Handshake, RefusesTheSuitesThatHttp2Prohibits) {
  const auto context = make_context();
  for (const std::string suite : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256",
                                  "DHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256"}) {
    Link link(*context, {.version = TLS1_2_VERSION, .ciphers = suite});
    EXPECT_FALSE(link.handshake()) << suite;
    EXPECT_EQ(link.server.error_text(), "no shared cipher") << suite;
  }
  Link link(*context, {.version = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"});
  EXPECT_TRUE(link.handshake());
}

TEST(Handshake, OffersOnlyEphemeralKeysWithAnAead) {
  const auto context = make_context();
  const STACK_OF(SSL_CIPHER)* ciphers = SSL_CTX_get_ciphers(context->native());
  ASSERT_GT(sk_SSL_CIPHER_num(ciphers), 0);
  bool mandatory = false;
  for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); ++i) {
    const SSL_CIPHER* cipher = sk_SSL_CIPHER_value(ciphers, i);
    EXPECT_EQ(SSL_CIPHER_is_aead(cipher), 1) << SSL_CIPHER_get_name(cipher);
    const int exchange = SSL_CIPHER_get_kx_nid(cipher);
    EXPECT_TRUE(exchange == NID_kx_ecdhe || exchange == NID_kx_any) << SSL_CIPHER_get_name(cipher);
    mandatory |= std::string(SSL_CIPHER_standard_name(cipher)) == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
  }
  EXPECT_TRUE(mandatory);  // RFC 9113 9.2.2
}

TEST(Handshake, RefusesToRenegotiate) {
  const auto context = make_context();
  Link link(*context, {.version = TLS1_2_VERSION});
  ASSERT_TRUE(link.handshake());
  ASSERT_EQ(SSL_renegotiate(link.client.ssl()), 1);
  link.client.handshake();
  link.carry();
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kWantRead);
  link.carry();
  EXPECT_FALSE(link.client.handshake());
  EXPECT_EQ(link.client.reason(), "no renegotiation");
}

}  // namespace
}  // namespace h2park::tls
