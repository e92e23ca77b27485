#include "client/network_dialer.hpp"

#include "unit/client/dial_rig.hpp"
#include "unit/net/test_sockets.hpp"

#include <array>
#include <cstddef>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;

class NetworkDialerTest : public DialRig {};

std::string unused_port() { return LoopbackServer().port_text(); }

TEST_F(NetworkDialerTest, ConnectsToALiteralAddressWithoutANameService) {
  LoopbackServer server;
  dial("http://" + server.text());
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_TRUE(resolver.asked.empty());
  EXPECT_EQ(times(), "0/0/0");
  EXPECT_EQ(result->value().remote, server.text());
  EXPECT_FALSE(result->value().transport->secure());
  EXPECT_EQ(result->value().verify_result, 0);
  EXPECT_EQ(result->value().notes, "");
  EXPECT_EQ(reactor.watches(), 0U) << "the descriptor is the caller's to watch";

  const auto peer = server.accept();
  ASSERT_TRUE(peer);
  EXPECT_EQ(net::peer_address(peer.get()), result->value().local);
  put_output(peer.get(), "hello");
  std::array<std::byte, 16> room;
  EXPECT_EQ(result->value().transport->read(room).bytes, 5U);
}

TEST_F(NetworkDialerTest, ConnectsToIpv6) {
  LoopbackServer server("[::1]:0");
  dial("http://" + server.text());
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(result->value().remote, server.text());
}

TEST_F(NetworkDialerTest, AsksForANameWithPortAndFamily) {
  LoopbackServer server;
  options.family = net::Family::kIpv4;
  dial("http://example.org:" + server.port_text());
  reactor.advance(7ms);
  EXPECT_FALSE(result);
  ASSERT_EQ(resolver.asked.size(), 1U);
  EXPECT_EQ(resolver.asked[0],
            (ScriptedResolver::Question{"example.org", server.port(), net::Family::kIpv4}));
  resolver.answer("127.0.0.1");
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(times(), "7/7/7");
}

TEST_F(NetworkDialerTest, ANameWithoutAnAddressIsAFailureOfItsOwn) {
  dial("http://nowhere.example/");
  resolver.fail();
  EXPECT_EQ(failure(), "resolve: Could not resolve host: nowhere.example (Name or service not known)");
}

TEST_F(NetworkDialerTest, AProxyWithoutAnAddressIsAnother) {
  use_proxy("proxy.example:3128");
  dial("http://a/");
  resolver.fail();
  EXPECT_EQ(failure(), "resolve_proxy: Could not resolve proxy: proxy.example (Name or service not known)");
}

TEST_F(NetworkDialerTest, ARefusedConnectionSaysWhereAndWhy) {
  const std::string port = unused_port();
  dial("http://127.0.0.1:" + port);
  reactor.turn();
  EXPECT_EQ(failure(), "connect: Failed to connect to 127.0.0.1 port " + port + ": Connection refused");
}

TEST_F(NetworkDialerTest, ARefusingProxyIsNamed) {
  const std::string port = unused_port();
  use_proxy("127.0.0.1:" + port);
  dial("https://a/");
  reactor.turn();
  EXPECT_EQ(failure(), "connect: Failed to connect to proxy 127.0.0.1 port " + port + ": Connection refused");
}

TEST_F(NetworkDialerTest, AUnixSocketIsForEveryOriginAndPastTheProxy) {
  const net::TemporaryDirectory directory;
  LoopbackServer server("unix:" + directory.file("s"));
  use_proxy("127.0.0.1:1");
  options.unix_path = directory.file("s");
  dial("http://example.org:81/");
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_TRUE(resolver.asked.empty());
  EXPECT_TRUE(result->value().remote.starts_with("unix")) << result->value().remote;
  EXPECT_TRUE(server.accept());
}

TEST_F(NetworkDialerTest, AMissingUnixSocketIsNamed) {
  options.unix_path = "/nonexistent/s";
  dial("http://a/");
  reactor.turn();
  EXPECT_EQ(failure(), "connect: Failed to connect to /nonexistent/s: No such file or directory");
}

TEST_F(NetworkDialerTest, AUnixPathThatIsTooLongIsAFailureToo) {
  options.unix_path = "/" + std::string(200, 'x');
  dial("http://a/");
  EXPECT_TRUE(failure().ends_with(": File name too long")) << failure();
}

// A unix socket whose queue is full is the one peer that lets a connection wait without a network.
class FullUnixSocket {
 public:
  explicit FullUnixSocket(const std::string& path) : server("unix:" + path) {
    ::listen(server.descriptor(), 0);
    queued_ = net::connect_to("unix:" + path);
  }
  LoopbackServer server;

 private:
  net::UniqueFd queued_;
};

TEST_F(NetworkDialerTest, TellsConnectingFromResolving) {
  const net::TemporaryDirectory directory;
  FullUnixSocket full(directory.file("s"));
  options.unix_path = directory.file("s");
  dial("http://a/");
  reactor.advance(25ms);
  EXPECT_FALSE(result);
  EXPECT_TRUE(full.server.accept());
  reactor.advance(10ms);
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(times(), "0/30/30");
}

TEST_F(NetworkDialerTest, AddressesOfTheFamilyThatWasRuledOutAreNotTried) {
  LoopbackServer server;
  LoopbackServer server6("[::1]:0");
  for (const auto& [url, family] : {std::pair("http://" + server.text(), net::Family::kIpv6),
                                    std::pair("http://" + server6.text(), net::Family::kIpv4)}) {
    NetworkOptions one;
    one.family = family;
    NetworkDialer dialer(reactor, resolver, proxies, one);
    std::optional<std::expected<Dialled, Failure>> told;
    const auto attempt =
        dialer.dial(parse_url(url)->origin, [&](auto dialled) { told.emplace(std::move(dialled)); });
    ASSERT_TRUE(told);
    ASSERT_FALSE(*told);
    EXPECT_EQ(told->error().kind, FailureKind::kConnect);
    EXPECT_TRUE(told->error().message.ends_with(family == net::Family::kIpv4 ? ": no IPv4 address"
                                                                             : ": no IPv6 address"))
        << told->error().message;
  }
  EXPECT_FALSE(server.accept());
  EXPECT_FALSE(server6.accept());
}

TEST_F(NetworkDialerTest, ResolveEntriesOfTheOtherFamilyAreLeftOut) {
  LoopbackServer server;
  options.family = net::Family::kIpv4;
  ASSERT_TRUE(options.overrides.add_resolve("example.org:" + server.port_text() + ":[::1],127.0.0.1"));
  options.notes = true;
  dial("http://example.org:" + server.port_text());
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(result->value().notes.find("::1"), std::string::npos) << result->value().notes;
}

TEST_F(NetworkDialerTest, ResolveEntriesComeBeforeTheNameService) {
  LoopbackServer server;
  ASSERT_TRUE(options.overrides.add_resolve("example.org:" + server.port_text() + ":127.0.0.1"));
  dial("http://example.org:" + server.port_text());
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_TRUE(resolver.asked.empty());
  EXPECT_EQ(result->value().remote, server.text());
}

TEST_F(NetworkDialerTest, ATimedResolveEntryEndsWithTheFirstMinuteOfTheRun) {
  LoopbackServer server;
  ASSERT_TRUE(options.overrides.add_resolve("+example.org:" + server.port_text() + ":127.0.0.1"));
  dialer();
  reactor.advance(59s);
  dial("http://example.org:" + server.port_text());
  EXPECT_TRUE(resolver.asked.empty());
  reactor.advance(1s);
  dial("http://example.org:" + server.port_text());
  EXPECT_EQ(resolver.asked.size(), 1U);
}

TEST_F(NetworkDialerTest, ConnectToChangesNameAndPort) {
  LoopbackServer server;
  ASSERT_TRUE(options.overrides.add_connect_to("example.org:80:other.example:" + server.port_text()));
  dial("http://example.org/");
  ASSERT_EQ(resolver.asked.size(), 1U);
  EXPECT_EQ(resolver.asked[0].host, "other.example");
  EXPECT_EQ(resolver.asked[0].port, server.port());
}

TEST_F(NetworkDialerTest, PlainHttpGoesToTheProxyWithoutATunnel) {
  LoopbackServer proxy;
  use_proxy(proxy.text());
  dial("http://example.org/");
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_TRUE(resolver.asked.empty()) << "the origin's name is for the proxy to resolve";
  EXPECT_EQ(result->value().remote, proxy.text());
  EXPECT_EQ(take_input(proxy.accept().get()), "");
}

TEST_F(NetworkDialerTest, NotesSayWhatWasTried) {
  LoopbackServer server;
  options.notes = true;
  dial("http://example.org:" + server.port_text());
  resolver.answer("127.0.0.1");
  reactor.turn();
  ASSERT_TRUE(is_dialled()) << failure();
  EXPECT_EQ(result->value().notes, "Trying " + server.text() + "\nConnected to example.org port " +
                                       server.port_text() + " (" + server.text() + ") from " +
                                       result->value().local + "\n");
}

TEST_F(NetworkDialerTest, CanBeGivenUpWhileItResolves) {
  dial("http://example.org/");
  EXPECT_TRUE(resolver.is_waiting());
  give_up();
  EXPECT_FALSE(resolver.is_waiting());
}

TEST_F(NetworkDialerTest, CanBeGivenUpWhileItConnects) {
  const net::TemporaryDirectory directory;
  FullUnixSocket full(directory.file("s"));
  options.unix_path = directory.file("s");
  dial("http://a/");
  reactor.advance(5ms);
  give_up();
  EXPECT_TRUE(full.server.accept()) << "the one that filled the queue";
  reactor.advance(1s);
  EXPECT_FALSE(full.server.accept()) << "connected after it was given up";
}

TEST_F(NetworkDialerTest, MayEndInsideItsCallback) {
  LoopbackServer server;
  bool told = false;
  std::shared_ptr<void> own;
  own = dialer().dial(parse_url("http://" + server.text())->origin,
                      [&](std::expected<Dialled, Failure> dialled) {
                        told = dialled.has_value();
                        own.reset();
                      });
  reactor.turn();
  EXPECT_TRUE(told);

  own = dialer().dial(parse_url("http://example.org/")->origin, [&](std::expected<Dialled, Failure> dialled) {
    told = dialled.has_value();
    own.reset();
  });
  resolver.fail();
  EXPECT_FALSE(told);
  EXPECT_EQ(own, nullptr);
}

TEST_F(NetworkDialerTest, DialsSeveralAtOnce) {
  LoopbackServer server;
  std::vector<std::shared_ptr<void>> handles;
  int connected = 0;
  for (int i = 0; i < 10; ++i) {
    handles.push_back(
        dialer().dial(parse_url("http://" + server.text())->origin,
                      [&](std::expected<Dialled, Failure> dialled) { connected += dialled ? 1 : 0; }));
  }
  reactor.turn();
  EXPECT_EQ(connected, 10);
}

}  // namespace
}  // namespace h2park::client
