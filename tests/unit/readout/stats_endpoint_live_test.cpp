#include "readout/stats_endpoint.hpp"

// The events of /live on real sockets.
#include "endpoint_rig.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace h2park::readout {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr std::string_view kWatch = "GET /live?interval=250ms HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Head or event: what is up to the next empty line, whichever way lines end.
std::string next_part(RawClient& client) { return client.receive_to("\n\n"); }

/// Reads the head and says whether a stream follows.
bool watches(RawClient& client) {
  client.send(kWatch);
  const std::string head = client.receive(true);
  return is_ok(head) && head.find("Content-Type: text/event-stream\r\n") != std::string::npos &&
         head.find("Content-Length") == std::string::npos &&
         head.find("Connection: close\r\n") != std::string::npos;
}

TEST(StatsEndpointLive, SendsTheFirstEventAtOnceAndThenMore) {
  auto from = sources();
  from.depths = [] {
    stats::Depths out(1);
    out[0].emplace().places = {{.depth = stats::Depth::kActive}};
    return out;
  };
  auto endpoint = StatsEndpoint::start(kAnyPort, from);
  ASSERT_TRUE(endpoint);
  RawClient client((*endpoint)->endpoint());
  EXPECT_TRUE(watches(client));
  for (int i = 0; i < 3; ++i) {
    const std::string event = next_part(client);
    EXPECT_TRUE(event.starts_with("data: {\"stats\":{\"version\":\"1.2.3\"")) << event;
    EXPECT_TRUE(event.ends_with("\"depths\":[\"a\"]}\n\n")) << event;
  }
}

TEST(StatsEndpointLive, GivesTheHeadAloneToHead) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  client.send("HEAD /live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(is_ok(client.receive(true)));
  EXPECT_TRUE(is_ok(client.exchange(kGetHealth))) << "and goes on";
}

TEST(StatsEndpointLive, AsksTheServerOnlyWhileSomebodyWatches) {
  std::atomic<int> looks{0};
  auto from = sources();
  from.depths = [&] {
    ++looks;
    return stats::Depths{};
  };
  auto endpoint = StatsEndpoint::start(kAnyPort, from);
  ASSERT_TRUE(endpoint);
  {
    RawClient client((*endpoint)->endpoint());
    EXPECT_TRUE(is_ok(client.exchange(kGetStats)));
    EXPECT_EQ(looks, 0);
    EXPECT_TRUE(watches(client));
    next_part(client);
    EXPECT_EQ(looks, 1);
  }
  RawClient other((*endpoint)->endpoint());
  EXPECT_FALSE(other.hears_something());  // a tenth of a second in which it can see the end
  const int until_now = looks;
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(other.hears_something());
  EXPECT_EQ(looks, until_now);
}

TEST(StatsEndpointLive, LeavesRoomForOthers) {
  const auto endpoint = start(kAnyPort, {.max_connections = 3, .max_streams = 2});
  RawClient first(endpoint->endpoint());
  EXPECT_TRUE(watches(first));
  RawClient second(endpoint->endpoint());
  EXPECT_TRUE(watches(second));
  RawClient third(endpoint->endpoint());
  const std::string refusal = third.exchange(kWatch);
  EXPECT_TRUE(refusal.starts_with("HTTP/1.1 503 ")) << refusal;
  EXPECT_TRUE(is_ok(third.exchange(kGetHealth)));
  // One more takes the place of the one that is idle, never of one that watches.
  RawClient fourth(endpoint->endpoint());
  EXPECT_TRUE(is_ok(fourth.exchange(kGetHealth)));
  EXPECT_TRUE(third.is_closed());
  EXPECT_FALSE(next_part(first).empty());
  EXPECT_FALSE(next_part(second).empty());
}

TEST(StatsEndpointLive, GivesThePlaceOfAClientThatLeavesToTheNext) {
  const auto endpoint = start(kAnyPort, {.max_streams = 1});
  for (const bool half : {false, true, false}) {
    RawClient client(endpoint->endpoint());
    // The end of the one before may not have been seen yet.
    while (!watches(client)) client = RawClient(endpoint->endpoint());
    if (half) {
      client.finish();
      client.receive_to_end();
    }
  }
}

TEST(StatsEndpointLive, EndsWhenTheClientSaysMore) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  EXPECT_TRUE(watches(client));
  next_part(client);
  client.send(kGetHealth);
  while (!client.is_closed()) next_part(client);
}

TEST(StatsEndpointLive, DropsAClientThatDoesNotRead) {
  // More than the kernel takes for a client.
  auto from = sources();
  from.snapshot = [] {
    stats::Snapshot snapshot;
    snapshot.server.version = std::string(16 * 1024 * 1024, 'x');
    return snapshot;
  };
  auto endpoint = StatsEndpoint::start(kAnyPort, from, {.request_timeout = 300ms, .max_streams = 1});
  ASSERT_TRUE(endpoint);
  RawClient slow((*endpoint)->endpoint());
  EXPECT_TRUE(watches(slow));
  RawClient next((*endpoint)->endpoint());
  while (!watches(next)) next = RawClient((*endpoint)->endpoint());
}

TEST(StatsEndpointLive, EndsWithTheEndpoint) {
  auto endpoint = start();
  RawClient client(endpoint->endpoint());
  EXPECT_TRUE(watches(client));
  endpoint.reset();
  client.receive_to_end();
}

TEST(StatsEndpointLive, EndsWhereTheFiguresCannotBeTaken) {
  std::atomic<bool> broken{false};
  auto from = sources();
  from.depths = [&]() -> stats::Depths {
    if (broken) throw std::runtime_error("none");
    return {};
  };
  auto endpoint = StatsEndpoint::start(kAnyPort, from);
  ASSERT_TRUE(endpoint);
  RawClient client((*endpoint)->endpoint());
  EXPECT_TRUE(watches(client));
  broken = true;
  client.receive_to_end();
}

}  // namespace
}  // namespace h2park::readout
