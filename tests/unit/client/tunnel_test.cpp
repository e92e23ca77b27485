#include "client/tunnel.hpp"

#include "unit/client/dial_rig.hpp"
#include "unit/net/test_sockets.hpp"

#include <tuple>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;

class TunnelTest : public ::testing::Test {
 protected:
  TunnelTest() { std::tie(ours, proxy) = net::socket_pair(); }

  void open(const TunnelRequest& request = {
                .to = "example.org:443", .proxy = "p:1", .authorization = "", .user_agent = ""}) {
    tunnel.emplace(reactor, ours.get(), request, [this](std::expected<void, Failure> result) {
      EXPECT_EQ(outcome, "") << "told twice";
      outcome = result ? "open" : std::string(to_string(result.error().kind)) + ": " + result.error().message;
    });
    tunnel->start();
    EXPECT_EQ(outcome, "");
    reactor.turn();
  }
  void answer(std::string_view text) {
    put_output(proxy.get(), text);
    reactor.turn();
  }

  test::ManualReactor reactor;
  net::UniqueFd ours;
  net::UniqueFd proxy;
  std::optional<Tunnel> tunnel;
  std::string outcome;
};

constexpr std::string_view kHello = "bytes of the origin";

TEST_F(TunnelTest, AsksForHostAndPort) {
  open();
  EXPECT_EQ(take_input(proxy.get()), "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n");
}

TEST_F(TunnelTest, SendsCredentialsAndUserAgentToTheProxy) {
  open({.to = "[::1]:443", .proxy = "p:1", .authorization = "Basic dTpw", .user_agent = "h2park/1"});
  EXPECT_EQ(take_input(proxy.get()),
            "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\nProxy-Authorization: Basic dTpw\r\n"
            "User-Agent: h2park/1\r\n\r\n");
}

TEST_F(TunnelTest, LeavesTheOriginsBytesInTheSocketWhereverTheAnswerIsCut) {
  // A length does not count in a 2xx (RFC 9110 9.3.6).
  const std::string head =
      "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\n";
  const std::string all = head + std::string(kHello);
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    std::tie(ours, proxy) = net::socket_pair();
    outcome.clear();
    open();
    answer(std::string_view(all).substr(0, cut));
    EXPECT_EQ(outcome, cut < head.size() ? "" : "open") << cut;
    if (cut < head.size()) answer(std::string_view(all).substr(cut, head.size() - cut));
    EXPECT_EQ(outcome, "open") << cut;
    answer(std::string_view(all).substr(std::max(cut, head.size())));
    EXPECT_EQ(take_input(ours.get()), kHello) << cut;
    EXPECT_EQ(reactor.watches(), 0U);
    tunnel.reset();
  }
}

TEST_F(TunnelTest, TakesTheAnswerByteByByte) {
  open();
  const std::string head = "HTTP/1.0 200\r\nVia: x\r\n\r\n";
  for (const char c : head) {
    EXPECT_EQ(outcome, "");
    answer(std::string_view(&c, 1));
  }
  EXPECT_EQ(outcome, "open");
}

TEST_F(TunnelTest, ReadsAnAnswerThatIsLongerThanOneLook) {
  open();
  answer("HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n" + std::string(kHello));
  EXPECT_EQ(outcome, "open");
  EXPECT_EQ(take_input(ours.get()), kHello);
}

TEST_F(TunnelTest, SendsALongRequestAsTheProxyTakesIt) {
  const int least = 1;
  ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDBUF, &least, sizeof least);
  const std::string secret(200'000, 'x');
  open({.to = "a:443", .proxy = "p:1", .authorization = "Basic " + secret, .user_agent = ""});
  std::string seen;
  for (int round = 0; round < 1000 && !seen.ends_with("\r\n\r\n"); ++round) {
    seen += take_input(proxy.get());
    reactor.turn();
  }
  EXPECT_EQ(seen,
            "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nProxy-Authorization: Basic " + secret + "\r\n\r\n");
  answer("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(outcome, "open");
}

TEST_F(TunnelTest, ARefusalNamesProxyTargetAndStatus) {
  open();
  answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(outcome, "proxy_refused: Proxy p:1 refuses to connect to example.org:443: 403");
}

TEST_F(TunnelTest, AskingForCredentialsIsToldFromNotTakingThem) {
  open();
  answer("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n");
  EXPECT_EQ(outcome, "proxy_refused: Proxy p:1 wants a user and a password: 407");
  std::tie(ours, proxy) = net::socket_pair();
  outcome.clear();
  open({.to = "a:1", .proxy = "p:1", .authorization = "Basic dTpw", .user_agent = ""});
  answer("HTTP/1.1 407 No\r\n\r\n");
  EXPECT_EQ(outcome, "proxy_refused: Proxy p:1 does not accept the user and password: 407");
}

TEST_F(TunnelTest, WhatIsNoHttpIsRefused) {
  open();
  answer("SSH-2.0-OpenSSH\r\n");
  EXPECT_TRUE(outcome.starts_with("proxy_refused: Proxy p:1 answered CONNECT with something else than HTTP"))
      << outcome;
}

TEST_F(TunnelTest, AProxyThatClosesIsRefusing) {
  for (const std::string_view begun : {"", "HTTP/1.1 20"}) {
    std::tie(ours, proxy) = net::socket_pair();
    outcome.clear();
    open();
    if (!begun.empty()) answer(begun);
    proxy.reset();
    reactor.turn();
    EXPECT_TRUE(outcome.starts_with("proxy_refused: Proxy p:1 closed the connection")) << outcome;
  }
}

TEST_F(TunnelTest, CanBeGivenUpAtAnyTime) {
  open();
  tunnel.reset();
  EXPECT_EQ(reactor.watches(), 0U);
  EXPECT_EQ(outcome, "");
}

class TunnelledDial : public DialRig {
 protected:
  LoopbackServer proxy;
};

TEST_F(TunnelledDial, GoesToTheTargetOfConnectToWithTheNameUnresolved) {
  use_proxy("http://u:p@" + proxy.text());
  ASSERT_TRUE(options.overrides.add_connect_to("example.org:443:other.example:8443"));
  dial("https://example.org/");
  reactor.turn();
  const auto peer = proxy.accept();
  EXPECT_EQ(take_input(peer.get()),
            "CONNECT other.example:8443 HTTP/1.1\r\nHost: other.example:8443\r\n"
            "Proxy-Authorization: Basic dTpw\r\n\r\n");
  EXPECT_TRUE(resolver.asked.empty());
  put_output(peer.get(), "HTTP/1.1 502 Bad Gateway\r\n\r\n");
  reactor.turn();
  EXPECT_EQ(failure(),
            "proxy_refused: Proxy " + proxy.text() + " refuses to connect to other.example:8443: 502");
  EXPECT_EQ(result->error().proxy_status, 502U);
}

TEST_F(TunnelledDial, KnowsTheProxysAnswerWhenTlsFailsAfterIt) {
  use_proxy(proxy.text());
  dial("https://example.org/");
  reactor.turn();
  const auto peer = proxy.accept();
  EXPECT_NE(take_input(peer.get()), "");
  put_output(peer.get(), "HTTP/1.1 201 Fine\r\n\r\nno TLS");
  reactor.turn();
  EXPECT_TRUE(failure().starts_with("tls: ")) << failure();
  EXPECT_EQ(result->error().proxy_status, 201U);
}

TEST_F(TunnelledDial, CanBeGivenUpWhileTheProxyIsSilent) {
  use_proxy(proxy.text());
  dial("https://example.org/");
  reactor.turn();
  const auto peer = proxy.accept();
  EXPECT_NE(take_input(peer.get()), "");
  EXPECT_FALSE(is_at_end(peer.get()));
  give_up();
  EXPECT_TRUE(is_at_end(peer.get()));
}

}  // namespace
}  // namespace h2park::client
