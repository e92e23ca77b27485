#include "readout/stats_endpoint.hpp"

#include "endpoint_rig.hpp"
#include "stats/json.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace h2park::readout {
namespace {

using namespace testing;

TEST(StatsEndpoint, GivesStatisticsOnAPortOfItsOwn) {
  const auto endpoint = start();
  EXPECT_NE(endpoint->endpoint().port, 0);
  RawClient client(endpoint->endpoint());
  const std::string answer = client.exchange(kGetStats);
  EXPECT_TRUE(is_ok(answer)) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + stats::to_json(sources().snapshot()))) << answer;
}

TEST(StatsEndpoint, TakesTheSnapshotOnItsOwnThread) {
  std::atomic<std::thread::id> thread;
  auto started = StatsEndpoint::start(kAnyPort, {.snapshot =
                                                     [&] {
                                                       thread = std::this_thread::get_id();
                                                       return stats::Snapshot{};
                                                     },
                                                 .healthy = [] { return true; }});
  ASSERT_TRUE(started);
  RawClient((*started)->endpoint()).exchange(kGetStats);
  EXPECT_NE(thread.load(), std::thread::id{});
  EXPECT_NE(thread.load(), std::this_thread::get_id());
}

TEST(StatsEndpoint, AnswersManyRequestsOnOneConnection) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_ok(client.exchange(kGetHealth)));
}

TEST(StatsEndpoint, AnswersARequestCutAtAnyByte) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  for (std::size_t cut = 1; cut < kGetHealth.size(); ++cut) {
    client.send(kGetHealth.substr(0, cut));
    EXPECT_TRUE(is_ok(client.exchange(kGetHealth.substr(cut)))) << cut;
  }
}

TEST(StatsEndpoint, AnswersPipelinedRequestsInOrder) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  client.send(std::string(kGetHealth) + std::string(kGetStats) +
              "HEAD /stats.json HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(kGetHealth));
  EXPECT_TRUE(client.receive().ends_with("ok\n"));
  EXPECT_TRUE(client.receive().ends_with("}\n"));
  EXPECT_TRUE(client.receive(true).ends_with("\r\n\r\n"));
  EXPECT_TRUE(client.receive().ends_with("ok\n"));
}

TEST(StatsEndpoint, AnswersAHalfClosedClient) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  client.send(kGetHealth);
  client.finish();
  EXPECT_TRUE(client.receive_to_end().ends_with("ok\n"));
}

TEST(StatsEndpoint, ClosesWhenAskedTo) {
  const auto endpoint = start();
  RawClient close(endpoint->endpoint());
  close.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const std::string answer = close.receive_to_end();
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos) << answer;
  RawClient old(endpoint->endpoint());
  old.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.receive_to_end().ends_with("ok\n"));
}

TEST(StatsEndpoint, KeepsAnHttp10ConnectionThatAsksForIt) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  for (int i = 0; i < 2; ++i) {
    const std::string answer = client.exchange("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_NE(answer.find("Connection: keep-alive\r\n"), std::string::npos) << answer;
  }
}

TEST(StatsEndpoint, RefusesAnUploadWithoutReadingItAndWithoutAReset) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  client.send("POST /stats.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n");
  client.send(std::string(300'000, 'x'));
  client.finish();
  const std::string answer = client.receive_to_end();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << answer;
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos) << answer;
}

TEST(StatsEndpoint, AnswersOnceWhatIsNoRequest) {
  const auto endpoint = start();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nonsense\r\n\r\n", "400"},
      {"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n", "400"},
      {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"},
      {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", "431"},
      {"GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n\r\n", "431"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
  };
  for (const auto& [request, status] : cases) {
    RawClient client(endpoint->endpoint());
    client.send(request);
    client.finish();
    const std::string answer = client.receive_to_end();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + status + " ")) << request.substr(0, 60) << "\n" << answer;
    EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << answer;
  }
}

}  // namespace
}  // namespace h2park::readout
