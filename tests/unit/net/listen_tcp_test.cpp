#include "net/listen_socket.hpp"
#include "test_sockets.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <set>

namespace h2park::net {
namespace {

using testing::EndsWith;
using testing::StartsWith;

const Endpoint kAnyPort{.host = "127.0.0.1", .port = 0};

std::vector<ListenSocket> listening(const Endpoint& endpoint, unsigned shares = 1) {
  auto sockets = listen_on(endpoint, shares);
  EXPECT_TRUE(sockets) << (sockets ? "" : sockets.error().message);
  return sockets ? std::move(*sockets) : std::vector<ListenSocket>{};
}

Endpoint bound(const ListenSocket& socket) { return parse_endpoint(socket.text()).value(); }

/// What another program's bind() to the same place answers: 0 or errno.
int intrude(const std::string& text, bool reuse_address) {
  const SocketAddress address = resolve(parse_endpoint(text).value()).value().front();
  const UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = reuse_address ? 1 : 0;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), address.get(), address.size) != 0) return errno;
  return ::listen(socket.get(), 1) == 0 ? 0 : errno;
}

TEST(ListenTcp, AcceptsAConnectionThatIsReadyForALoop) {
  auto sockets = listening(kAnyPort);
  ASSERT_EQ(sockets.size(), 1U);
  ListenSocket& listener = sockets.front();
  EXPECT_EQ(listener.accept().status, AcceptStatus::kNone);
  EXPECT_TRUE(::fcntl(listener.descriptor(), F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(::fcntl(listener.descriptor(), F_GETFD) & FD_CLOEXEC);

  const UniqueFd client = connect_to(listener.text());
  ASSERT_TRUE(client);
  const Accepted accepted = listener.accept();
  ASSERT_EQ(accepted.status, AcceptStatus::kConnection);
  const int fd = accepted.socket.get();
  EXPECT_TRUE(::fcntl(fd, F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_NE(no_delay, 0);
  EXPECT_EQ(peer_address(fd), local_address(client.get())->text());
  EXPECT_EQ(listener.accept().status, AcceptStatus::kNone);
}

TEST(ListenTcp, GivesEachShareASocketOnOnePort) {
  const auto sockets = listening(kAnyPort, 3);
  ASSERT_EQ(sockets.size(), 3U);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(sockets[i].share(), i);
    EXPECT_EQ(sockets[i].text(), sockets[0].text());
    EXPECT_NE(bound(sockets[i]).port, 0);
  }
}

TEST(ListenTcp, SpreadsConnectionsOverAllShares) {
  auto sockets = listening(kAnyPort, 3);
  ASSERT_EQ(sockets.size(), 3U);
  std::vector<UniqueFd> clients;
  std::vector<unsigned> taken(3);
  // 200 connections that all miss one of three sockets: the odds are 1 in 10^34.
  for (int i = 0; i < 200; ++i) clients.push_back(connect_to(sockets[0].text()));
  for (unsigned i = 0; i < 3; ++i) {
    while (sockets[i].accept().status == AcceptStatus::kConnection) ++taken[i];
  }
  EXPECT_EQ(taken[0] + taken[1] + taken[2], 200U);
  for (const unsigned n : taken) EXPECT_GT(n, 0U);
}

TEST(ListenTcp, SaysThatAPortIsTaken) {
  const auto first = listening(kAnyPort, 2);
  const auto second = listen_on(bound(first.front()), 2);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "cannot listen on " + first.front().text() + ": Address already in use");
  EXPECT_EQ(second.error().exit, Error::Exit::kFailure);
}

TEST(ListenTcp, KeepsAnIntruderOut) {
  for (const unsigned shares : {1U, 3U}) {
    const auto sockets = listening(kAnyPort, shares);
    EXPECT_EQ(intrude(sockets.front().text(), false), EADDRINUSE);
    EXPECT_EQ(intrude(sockets.front().text(), true), EADDRINUSE);
  }
}

TEST(ListenTcp, RefusesAPortWhereSomebodyElseShares) {
  const SocketAddress any = resolve(kAnyPort).value().front();
  const UniqueFd other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(other.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  ASSERT_EQ(::bind(other.get(), any.get(), any.size), 0);
  ASSERT_EQ(::listen(other.get(), 1), 0);
  const std::string text = local_address(other.get())->text();
  const auto sockets = listen_on(parse_endpoint(text).value(), 2);
  ASSERT_FALSE(sockets);
  EXPECT_THAT(sockets.error().message, EndsWith("Address already in use"));
}

TEST(ListenTcp, ComesBackToAPortWithConnectionsInTimeWait) {
  auto sockets = listening(kAnyPort);
  const Endpoint place = bound(sockets.front());
  UniqueFd client = connect_to(place.text());
  {
    // The server closes first, so the port is left in TIME_WAIT once the client has closed too.
    Accepted accepted = sockets.front().accept();
    ::shutdown(accepted.socket.get(), SHUT_WR);
    ASSERT_TRUE(wait_for(client.get(), POLLIN));
    client.reset();
    ASSERT_TRUE(wait_for(accepted.socket.get(), POLLIN));
  }
  sockets.clear();
  EXPECT_EQ(listening(place, 2).size(), 2U);
}

TEST(ListenTcp, TakesIpv4OnTheIpv6Wildcard) {
  auto sockets = listening({.host = "::", .port = 0}, 2);
  ASSERT_EQ(sockets.size(), 2U);
  const std::string port = std::to_string(bound(sockets.front()).port);
  EXPECT_EQ(sockets.front().text(), "[::]:" + port);
  std::set<std::string> families;
  for (const std::string host : {"127.0.0.1", "[::1]"}) {
    const UniqueFd client = connect_to(host + ":" + port);
    ASSERT_TRUE(client) << host;
    for (auto& listener : sockets) {
      const Accepted accepted = listener.accept();
      if (accepted.status == AcceptStatus::kConnection) families.insert(peer_address(accepted.socket.get()));
    }
  }
  ASSERT_EQ(families.size(), 2U);
  EXPECT_THAT(*families.begin(), StartsWith("127.0.0.1:"));  // not [::ffff:127.0.0.1]
  EXPECT_THAT(*families.rbegin(), StartsWith("[::1]:"));
}

TEST(ListenTcp, ListensOnEveryAddressOfAName) {
  const Endpoint name{.host = "localhost", .port = 0};
  const auto addresses = resolve(name);
  ASSERT_TRUE(addresses);
  const auto sockets = listening(name, 2);
  EXPECT_EQ(sockets.size(), 2 * addresses->size());
  for (const ListenSocket& socket : sockets) EXPECT_EQ(bound(socket).port, bound(sockets.front()).port);
}

TEST(ListenTcp, NamesAnUnknownHost) {
  const std::string host(64, 'a');  // a label too long for DNS: refused without asking anybody
  const auto sockets = listen_on({.host = host, .port = 80}, 1);
  ASSERT_FALSE(sockets);
  EXPECT_THAT(sockets.error().message, StartsWith("cannot listen on " + host + ":80: "));
  EXPECT_EQ(sockets.error().message.find('\n'), std::string::npos);
}

TEST(ListenTcp, NamesAnUnknownInterface) {
  const auto sockets = listen_on({.host = "fe80::1%nosuchif0", .port = 80}, 1);
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message, "cannot listen on [fe80::1%nosuchif0]:80: No such device");
}

TEST(ListenTcp, NamesAnAddressThatIsNotThisMachines) {
  const auto sockets = listen_on({.host = "192.0.2.1", .port = 0}, 2);  // RFC 5737: nobody's
  ASSERT_FALSE(sockets);
  EXPECT_EQ(sockets.error().message, "cannot listen on 192.0.2.1:0: Cannot assign requested address");
}

TEST(ListenTcp, KeepsNothingOpenAfterAnError) {
  const auto taken = listening(kAnyPort);
  const int before = UniqueFd(::dup(0)).get();
  EXPECT_FALSE(listen_on(bound(taken.front()), 4));
  EXPECT_EQ(UniqueFd(::dup(0)).get(), before);
}

TEST(ListenTcp, TellsWhenDescriptorsRunOut) {
  auto sockets = listening(kAnyPort);
  const UniqueFd client = connect_to(sockets.front().text());
  EXPECT_EQ(in_child([&] {
              const rlimit none{.rlim_cur = 0, .rlim_max = 0};
              ::setrlimit(RLIMIT_NOFILE, &none);
              const Accepted accepted = sockets.front().accept();
              if (accepted.status != AcceptStatus::kOutOfDescriptors) return 1;
              return accepted.error == EMFILE && !accepted.socket ? 0 : 2;
            }),
            0);
  // The connection was left in the queue.
  EXPECT_EQ(sockets.front().accept().status, AcceptStatus::kConnection);
}

TEST(ListenTcp, TellsWhenTheListenerIsOfNoMoreUse) {
  auto sockets = listening(kAnyPort);
  ::shutdown(sockets.front().descriptor(), SHUT_RD);
  EXPECT_EQ(sockets.front().accept().status, AcceptStatus::kBroken);
}

TEST(ListenTcp, StopsListeningWhenClosed) {
  auto sockets = listening(kAnyPort);
  const std::string text = sockets.front().text();
  sockets.front().close();
  sockets.front().close();
  EXPECT_FALSE(connect_to(text));
  EXPECT_EQ(errno, ECONNREFUSED);
}

TEST(PeerAddress, IsUnknownOnceThePeerIsGone) {
  EXPECT_EQ(peer_address(-1), "unknown");
  auto [ours, theirs] = socket_pair();
  EXPECT_EQ(peer_address(ours.get()), "unix");
}

}  // namespace
}  // namespace h2park::net
