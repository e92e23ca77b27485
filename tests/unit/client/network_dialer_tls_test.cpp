#include "client/network_dialer.hpp"
#include "tls/openssl.hpp"
#include "tls/server_transport.hpp"
#include "unit/client/dial_rig.hpp"
#include "unit/net/test_sockets.hpp"

#include <openssl/pem.h>

#include <array>
#include <csignal>
#include <cstdio>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;

/// A dialer whose server has a certificate of its own, for localhost and 127.0.0.1.
class TlsDial : public DialRig {
 protected:
  TlsDial() {
    std::signal(SIGPIPE, SIG_IGN);
    certificate = *tls::ServerContext::self_signed(std::make_shared<tls::TicketKeys>());
    // The system's store takes a hundred times as long to read as a stranger's certificate.
    trust(**tls::ServerContext::self_signed(std::make_shared<tls::TicketKeys>()));
  }

  void trust(const tls::ServerContext& context) {
    options.tls.ca_file = directory.file("ca.pem");
    const std::unique_ptr<std::FILE, decltype([](std::FILE* f) { std::fclose(f); })> file(
        std::fopen(options.tls.ca_file.c_str(), "w"));
    ASSERT_EQ(PEM_write_X509(file.get(), SSL_CTX_get0_certificate(context.native())), 1);
  }
  void trust_the_server() { trust(*certificate); }
  void trust_anybody() { options.tls.verify = false; }

  /// The server's end of the handshake, once it has taken a connection.
  void accept() {
    auto socket = server.accept();
    ASSERT_TRUE(socket);
    peer = tls::accept(*certificate, std::move(socket));
  }
  /// Both ends go on as far as they can.
  void shake_hands() {
    for (int round = 0; round < 20 && !result; ++round) {
      peer_status = peer->handshake();
      reactor.turn();
    }
  }
  void dial_and_shake_hands(const std::string& url) {
    dial(url);
    reactor.turn();
    accept();
    shake_hands();
  }
  std::string url() const { return "https://127.0.0.1:" + server.port_text() + "/"; }

  net::TemporaryDirectory directory;
  LoopbackServer server;
  std::shared_ptr<tls::ServerContext> certificate;
  std::unique_ptr<net::Transport> peer;
  net::IoStatus peer_status = net::IoStatus::kOk;
};

TEST_F(TlsDial, VerifiesTheCertificateAndHandsOverASecurePipe) {
  trust_the_server();
  dial_and_shake_hands(url());
  ASSERT_TRUE(is_dialled()) << failure();
  Dialled& dialled = result->value();
  EXPECT_TRUE(dialled.transport->secure());
  EXPECT_EQ(dialled.transport->alpn(), "http/1.1");
  EXPECT_EQ(dialled.verify_result, 0);
  EXPECT_EQ(dialled.remote, server.text());
  EXPECT_EQ(reactor.watches(), 0U) << "the descriptor is the caller's to watch";

  ASSERT_EQ(peer->handshake(), net::IoStatus::kOk);
  const std::string text = "hello";
  peer->write(std::as_bytes(std::span(text)));
  std::array<std::byte, 64> room;
  EXPECT_EQ(dialled.transport->read(room).bytes, text.size());
}

TEST_F(TlsDial, RefusesACertificateThatNobodyVouchesFor) {
  dial_and_shake_hands(url());
  EXPECT_TRUE(failure().starts_with("untrusted: TLS handshake with 127.0.0.1 failed: ")) << failure();
  EXPECT_NE(failure().find("self-signed"), std::string::npos) << failure();
  EXPECT_EQ(reactor.watches(), 0U);
}

TEST_F(TlsDial, ChecksTheUrlsNameWhateverWasConnectedToInstead) {
  trust_the_server();
  ASSERT_TRUE(options.overrides.add_connect_to("example.org:443:127.0.0.1:" + server.port_text()));
  dial_and_shake_hands("https://example.org/");
  EXPECT_TRUE(failure().starts_with("untrusted: TLS handshake with example.org failed: ")) << failure();

  ASSERT_TRUE(dialer_);
  dialer_.reset();
  ASSERT_TRUE(options.overrides.add_connect_to("localhost:443:127.0.0.1:" + server.port_text()));
  dial_and_shake_hands("https://localhost/");
  EXPECT_TRUE(is_dialled()) << failure();
}

TEST_F(TlsDial, TrustsAnybodyWhenToldToButStillTellsWhatIsWrong) {
  trust_anybody();
  dial_and_shake_hands(url());
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(result->value().verify_result, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
}

TEST_F(TlsDial, TakesTheTimesOfEachPhase) {
  trust_anybody();
  dial("https://localhost:" + server.port_text() + "/");
  reactor.advance(3ms);
  resolver.answer("127.0.0.1");
  reactor.turn();
  accept();
  reactor.advance(11ms);
  EXPECT_FALSE(result);
  shake_hands();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(times(), "3/3/14");
}

TEST_F(TlsDial, NotesNameProtocolCipherAndCertificate) {
  trust_the_server();
  options.notes = true;
  dial_and_shake_hands(url());
  ASSERT_TRUE(is_dialled()) << failure();
  const std::string& notes = result->value().notes;
  EXPECT_NE(notes.find("\nTLS: TLSv1.3, TLS_"), std::string::npos) << notes;
  EXPECT_NE(notes.find(", ALPN http/1.1\n"), std::string::npos) << notes;
  EXPECT_NE(notes.find("\nsubject: "), std::string::npos) << notes;
  EXPECT_TRUE(notes.ends_with("\n"));
}

TEST_F(TlsDial, AServerWithoutTlsIsAProtocolFault) {
  trust_anybody();
  dial(url());
  reactor.turn();
  const auto plain = server.accept();
  EXPECT_NE(take_input(plain.get()), "");
  put_output(plain.get(), "HTTP/1.1 400 Bad Request\r\n\r\n");
  reactor.turn();
  EXPECT_TRUE(failure().starts_with("tls: TLS handshake with 127.0.0.1 failed: ")) << failure();
}

TEST_F(TlsDial, AServerThatClosesDuringTheHandshakeIsToo) {
  trust_anybody();
  dial(url());
  reactor.turn();
  auto plain = server.accept();
  EXPECT_NE(take_input(plain.get()), "");
  plain.reset();
  reactor.turn();
  EXPECT_EQ(failure(), "tls: TLS handshake with 127.0.0.1 failed: the server closed the connection");
}

TEST_F(TlsDial, CanBeGivenUpDuringTheHandshake) {
  trust_anybody();
  dial(url());
  reactor.turn();
  const auto plain = server.accept();
  EXPECT_NE(take_input(plain.get()), "");
  EXPECT_FALSE(is_at_end(plain.get()));
  give_up();
  EXPECT_TRUE(is_at_end(plain.get()));
}

TEST_F(TlsDial, GoesThroughAProxysTunnel) {
  trust_the_server();
  LoopbackServer proxy;
  use_proxy(proxy.text());
  options.notes = true;
  dial("https://localhost/");
  reactor.turn();
  const auto socket = proxy.accept();
  EXPECT_TRUE(take_input(socket.get()).starts_with("CONNECT localhost:443 HTTP/1.1\r\n"));
  reactor.advance(5ms);
  put_output(socket.get(), "HTTP/1.1 200 OK\r\n\r\n");
  reactor.turn();
  // From here on the proxy's socket is the origin's.
  peer = tls::accept(*certificate, net::UniqueFd(::dup(socket.get())));
  shake_hands();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(times(), "0/0/5");
  EXPECT_TRUE(resolver.asked.empty());
  EXPECT_NE(result->value().notes.find("The proxy connects to localhost:443\n"), std::string::npos);
}

TEST_F(TlsDial, GoesThroughAUnixSocketPastTheProxy) {
  trust_the_server();
  use_proxy("127.0.0.1:1");
  LoopbackServer local("unix:" + directory.file("s"));
  options.unix_path = directory.file("s");
  dial("https://localhost/");
  reactor.turn();
  peer = tls::accept(*certificate, local.accept());
  shake_hands();
  EXPECT_TRUE(is_dialled()) << failure();
}

TEST_F(TlsDial, AMissingTrustFileIsToldBeforeOrWhenItIsNeeded) {
  options.tls.ca_file = "/nonexistent/ca.pem";
  const auto prepared = dialer().prepare_tls();
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().message.find("/nonexistent/ca.pem"), std::string::npos);
  dial(url());
  reactor.turn();
  EXPECT_TRUE(failure().starts_with("tls: ")) << failure();
  EXPECT_NE(failure().find("/nonexistent/ca.pem"), std::string::npos) << failure();
}

TEST_F(TlsDial, PreparesOnceForAllConnections) {
  trust_the_server();
  ASSERT_TRUE(dialer().prepare_tls());
  std::filesystem::remove(options.tls.ca_file);
  ASSERT_TRUE(dialer().prepare_tls());
  dial_and_shake_hands(url());
  EXPECT_TRUE(is_dialled()) << failure();
}

}  // namespace
}  // namespace h2park::client
