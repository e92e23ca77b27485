#include "net/connector.hpp"

#include "support/manual_reactor.hpp"
#include "test_sockets.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace h2park::net {
namespace {

using std::chrono::milliseconds;

SocketAddress address_of(const std::string& text) {
  return resolve(parse_endpoint(text).value()).value().front();
}

/// A listening socket, at a free port.
class Listener {
 public:
  explicit Listener(const std::string& at = "127.0.0.1:0", int backlog = 16) {
    const SocketAddress wanted = address_of(at);
    socket_ = UniqueFd(::socket(wanted.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket_.get(), wanted.get(), wanted.size), 0);
    EXPECT_EQ(::listen(socket_.get(), backlog), 0);
    address = local_address(socket_.get()).value();
  }
  bool accept() {
    accepted_.emplace_back(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return static_cast<bool>(accepted_.back());
  }

  SocketAddress address;

 private:
  UniqueFd socket_;
  std::vector<UniqueFd> accepted_;
};

/// One whose queue is full: the kernel drops what comes after, as a firewall would.
class Blackhole : public Listener {
 public:
  explicit Blackhole(const std::string& at = "127.0.0.1:0") : Listener(at, 0) {
    filler_ = UniqueFd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(filler_.get(), address.get(), address.size), 0);
  }

 private:
  UniqueFd filler_;
};

/// Nobody listens here, and nobody will while the object lives.
class Refusal {
 public:
  explicit Refusal(const std::string& at = "127.0.0.1:0") {
    const SocketAddress wanted = address_of(at);
    socket_ = UniqueFd(::socket(wanted.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket_.get(), wanted.get(), wanted.size), 0);
    address = local_address(socket_.get()).value();
  }
  SocketAddress address;

 private:
  UniqueFd socket_;
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class ConnectorTest : public testing::Test {
 protected:
  void dial(std::vector<SocketAddress> addresses) {
    connector = std::make_unique<Connector>(reactor, std::move(addresses), [this](Result<UniqueFd> got) {
      EXPECT_FALSE(result.has_value()) << "told twice";
      result = std::move(got);
    });
    connector->start();
  }
  bool connected_to(const SocketAddress& address) const {
    return result && *result && peer_address((*result)->get()) == address.text();
  }
  std::string error() const { return result && !*result ? result->error().message : "none"; }

  test::ManualReactor reactor;
  std::unique_ptr<Connector> connector;
  std::optional<Result<UniqueFd>> result;
};

TEST_F(ConnectorTest, ConnectsWithASocketReadyForUse) {
  const Listener listener;
  dial({listener.address});
  reactor.turn();
  ASSERT_TRUE(connected_to(listener.address)) << error();
  const int fd = (*result)->get();
  EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_EQ(no_delay, 1);
  EXPECT_EQ(reactor.watches(), 0U);
  reactor.advance(std::chrono::hours(1));  // told once
}

TEST_F(ConnectorTest, ConnectsToIpv6) {
  const Listener listener("[::1]:0");
  dial({listener.address});
  reactor.turn();
  EXPECT_TRUE(connected_to(listener.address)) << error();
}

TEST_F(ConnectorTest, TellsARefusalInALaterTurn) {
  const Refusal refusal;
  dial({refusal.address});
  EXPECT_FALSE(result);
  reactor.turn();
  EXPECT_EQ(error(), "connect to " + refusal.address.text() + ": Connection refused");
  reactor.advance(std::chrono::hours(1));
}

TEST_F(ConnectorTest, GoesOnAtOnceWhenAnAddressRefuses) {
  const Refusal refusal;
  const Listener listener;
  dial({refusal.address, listener.address});
  reactor.turn();
  EXPECT_TRUE(connected_to(listener.address)) << error();
}

TEST_F(ConnectorTest, TellsTheFirstOfSeveralFailures) {
  const Refusal a;
  const Refusal b;
  dial({a.address, b.address});
  reactor.turn();
  EXPECT_EQ(error(), "connect to " + a.address.text() + ": Connection refused");
}

TEST_F(ConnectorTest, StartsTheNextAddressWhenOneIsSilent) {
  const Blackhole silent;
  const Listener listener;
  dial({silent.address, listener.address});
  reactor.advance(kAttemptDelay - milliseconds(1));
  EXPECT_FALSE(result);
  EXPECT_EQ(reactor.watches(), 1U);
  reactor.advance(milliseconds(1));
  EXPECT_TRUE(connected_to(listener.address)) << error();
}

TEST_F(ConnectorTest, EachAddressHasItsDelayFromItsOwnStart) {
  const Blackhole silent;
  const Refusal refusal;
  dial({silent.address, silent.address, refusal.address, silent.address});
  EXPECT_EQ(reactor.watches(), 1U);
  reactor.advance(kAttemptDelay);
  EXPECT_EQ(reactor.watches(), 2U);
  reactor.advance(kAttemptDelay);  // the refusal brings the fourth forward
  EXPECT_EQ(reactor.watches(), 3U);
  reactor.advance(std::chrono::hours(1));
  EXPECT_EQ(reactor.watches(), 3U);
  EXPECT_FALSE(result);  // how long is enough is the caller's to say
}

TEST_F(ConnectorTest, ClosesTheLosers) {
  const Blackhole silent;
  const Listener listener;
  const std::size_t before = open_descriptors();
  dial({silent.address, listener.address});
  reactor.advance(kAttemptDelay);
  ASSERT_TRUE(connected_to(listener.address)) << error();
  EXPECT_EQ(open_descriptors(), before + 1);
  EXPECT_EQ(reactor.watches(), 0U);
}

TEST_F(ConnectorTest, AnEarlierAddressMayStillWin) {
  const TemporaryDirectory directory;
  Blackhole slow("unix:" + directory.file("s"));  // unlike TCP's it opens as soon as there is room
  const Blackhole silent;
  dial({slow.address, silent.address});
  reactor.advance(kAttemptDelay);
  EXPECT_EQ(reactor.watches(), 1U);
  ASSERT_TRUE(slow.accept());
  reactor.advance(milliseconds(10));
  ASSERT_TRUE(result && *result) << error();
  EXPECT_EQ(peer_address((*result)->get()), "unix");
  EXPECT_EQ(reactor.watches(), 0U);
}

TEST_F(ConnectorTest, AnEarlierAddressMayStillBeTheOneThatFailed) {
  const TemporaryDirectory directory;
  auto slow = std::make_unique<Blackhole>("unix:" + directory.file("s"));
  const Refusal refusal;
  dial({slow->address, refusal.address});
  reactor.advance(kAttemptDelay);
  EXPECT_FALSE(result);  // one has failed, one still waits
  slow.reset();
  reactor.advance(milliseconds(10));
  EXPECT_EQ(error(), "connect to " + refusal.address.text() + ": Connection refused");
}

TEST_F(ConnectorTest, TakesTheFamiliesInTurn) {
  const Refusal six("[::1]:0");
  const Listener second_six("[::1]:0");
  const Listener four;
  dial({six.address, second_six.address, four.address});
  reactor.turn();
  EXPECT_TRUE(connected_to(four.address)) << error();
}

TEST_F(ConnectorTest, KeepsTheOrderWithinAFamilyAndReachesTheLast) {
  const Refusal four("127.0.0.1:0");
  const Refusal six("[::1]:0");
  const Listener last_four;
  const Listener more;
  dial({four.address, four.address, last_four.address, more.address, six.address});
  reactor.turn();
  EXPECT_TRUE(connected_to(last_four.address)) << error();
}

TEST_F(ConnectorTest, AUnixSocketIsConnectedFromStart) {
  const TemporaryDirectory directory;
  const Listener listener("unix:" + directory.file("s"));
  int told = 0;
  connector =
      std::make_unique<Connector>(reactor, std::vector{listener.address}, [&](const Result<UniqueFd>& got) {
        ++told;
        EXPECT_TRUE(got);
        connector.reset();  // may be ended by its own callback
      });
  connector->start();
  EXPECT_EQ(told, 1);
}

TEST_F(ConnectorTest, SaysWhyAUnixSocketCannotBeConnected) {
  const TemporaryDirectory directory;
  dial({address_of("unix:" + directory.file("s"))});
  EXPECT_FALSE(result);
  reactor.turn();
  EXPECT_EQ(error(), "connect to unix:" + directory.file("s") + ": No such file or directory");
}

TEST_F(ConnectorTest, WaitsForRoomInAUnixSocketsQueue) {
  const TemporaryDirectory directory;
  Blackhole full("unix:" + directory.file("s"));
  dial({full.address});
  reactor.advance(std::chrono::seconds(1));
  EXPECT_FALSE(result) << error();
  ASSERT_TRUE(full.accept());
  reactor.advance(milliseconds(10));
  EXPECT_TRUE(result && *result) << error();
}

TEST_F(ConnectorTest, ARefusalMayEndTheConnectorInItsCallback) {
  const Refusal refusal;
  std::string message;
  connector =
      std::make_unique<Connector>(reactor, std::vector{refusal.address}, [&](const Result<UniqueFd>& got) {
        message = got.error().message;
        connector.reset();
      });
  connector->start();
  reactor.turn();
  EXPECT_EQ(message, "connect to " + refusal.address.text() + ": Connection refused");
}

TEST_F(ConnectorTest, GivesUpSilentlyWhenDestroyed) {
  const Blackhole silent;
  const Listener listener;
  const Refusal refusal;
  const std::size_t before = open_descriptors();
  const std::vector<std::vector<SocketAddress>> lists{
      {listener.address}, {silent.address, silent.address}, {refusal.address}};
  for (const auto& list : lists) {
    for (const milliseconds after : {milliseconds(0), milliseconds(100), milliseconds(300)}) {
      dial(list);
      if (after > milliseconds(0)) reactor.advance(after);
      connector.reset();
      EXPECT_EQ(reactor.watches(), 0U);
      result.reset();
      EXPECT_EQ(open_descriptors(), before);
      reactor.advance(std::chrono::seconds(1));
      EXPECT_FALSE(result);
    }
  }
  const Connector never_started(reactor, {listener.address}, [](const Result<UniqueFd>&) { FAIL(); });
}

TEST_F(ConnectorTest, GoesOnWhereThereIsNoSocketToBeHad) {
  SocketAddress odd;
  odd.storage.ss_family = AF_MAX;
  odd.size = sizeof(sockaddr_in);
  const Listener listener;
  dial({odd, listener.address});
  reactor.turn();
  EXPECT_TRUE(connected_to(listener.address)) << error();
  result.reset();
  dial({odd});
  reactor.turn();
  EXPECT_EQ(error(), "connect to unknown: Address family not supported by protocol");
}

}  // namespace
}  // namespace h2park::net
