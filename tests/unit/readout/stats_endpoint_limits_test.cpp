#include "readout/stats_endpoint.hpp"

// Timeouts, connections at a time, descriptors, stopping.
#include "endpoint_rig.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

namespace h2park::readout {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(StatsEndpointLimits, ClosesOnAClientThatDoesNotFinishItsHead) {
  const auto endpoint = start(kAnyPort, {.request_timeout = 30ms});
  RawClient client(endpoint->endpoint());
  client.send(kGetHealth.substr(0, 20));
  EXPECT_TRUE(client.is_closed());
}

TEST(StatsEndpointLimits, ClosesOnAClientThatLingersBehindARefusal) {
  const auto endpoint = start(kAnyPort, {.request_timeout = 30ms});
  RawClient client(endpoint->endpoint());
  EXPECT_TRUE(client.exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(client.is_closed());
}

TEST(StatsEndpointLimits, ClosesAnIdleConnectionBeforeAndAfterARequest) {
  const auto endpoint = start(kAnyPort, {.idle_timeout = 30ms});
  RawClient silent(endpoint->endpoint());
  EXPECT_TRUE(silent.is_closed());
  RawClient done(endpoint->endpoint());
  EXPECT_TRUE(is_ok(done.exchange(kGetHealth)));
  EXPECT_TRUE(done.is_closed());
}

TEST(StatsEndpointLimits, ServesSixtyFourAtOnceAndOneMoreInPlaceOfTheLongestIdle) {
  const auto endpoint = start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 64; ++i) {
    clients.emplace_back(endpoint->endpoint());
    EXPECT_TRUE(is_ok(clients.back().exchange(kGetHealth)));
  }
  for (RawClient& client : clients) EXPECT_TRUE(is_ok(client.exchange(kGetHealth)));
  EXPECT_TRUE(is_ok(clients[0].exchange(kGetHealth)));  // so that the second one is idle longest
  RawClient one_more(endpoint->endpoint());
  EXPECT_TRUE(is_ok(one_more.exchange(kGetHealth)));
  EXPECT_TRUE(clients[1].is_closed());
  EXPECT_TRUE(is_ok(clients[0].exchange(kGetHealth)));
  EXPECT_TRUE(is_ok(clients[63].exchange(kGetHealth)));
}

TEST(StatsEndpointLimits, LetsAClientWaitWhileAllAreBusy) {
  const auto endpoint = start(kAnyPort, {.max_connections = 2});
  RawClient first(endpoint->endpoint());
  RawClient second(endpoint->endpoint());
  for (RawClient* busy : {&first, &second}) {
    EXPECT_TRUE(is_ok(busy->exchange(kGetHealth)));
    busy->send(kGetHealth.substr(0, 10));
  }
  RawClient third(endpoint->endpoint());
  third.send(kGetHealth);
  EXPECT_FALSE(third.hears_something());
  first.hang_up();
  EXPECT_TRUE(is_ok(third.receive()));
  EXPECT_TRUE(is_ok(second.exchange(kGetHealth.substr(10))));
}

TEST(StatsEndpointLimits, ServesAgainOnceDescriptorsAreThere) {
  const auto endpoint = start();
  RawClient client = RawClient::unconnected(endpoint->endpoint());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 256, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<net::UniqueFd> all;
  for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::open("/dev/null", O_RDONLY))
    all.emplace_back(fd);
  client.connect(endpoint->endpoint());
  client.send(kGetHealth);
  EXPECT_FALSE(client.hears_something());
  all.clear();
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_ok(client.receive()));
}

TEST(StatsEndpointLimits, StopsAtOnceWithOpenConnections) {
  auto endpoint = start();
  RawClient idle(endpoint->endpoint());
  EXPECT_TRUE(is_ok(idle.exchange(kGetHealth)));
  RawClient reading(endpoint->endpoint());
  reading.send(std::string(kGetHealth) + "GET /");
  EXPECT_TRUE(is_ok(reading.receive()));
  RawClient lingering(endpoint->endpoint());
  EXPECT_FALSE(is_ok(lingering.exchange("nonsense\r\n\r\n")));
  const auto begun = std::chrono::steady_clock::now();
  endpoint.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);  // the shortest timeout is 10 s
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(reading.is_closed());
  EXPECT_TRUE(lingering.is_closed());
}

}  // namespace
}  // namespace h2park::readout
