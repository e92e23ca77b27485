#include "readout/stats_endpoint.hpp"

#include "raw_client.hpp"
#include "stats/json.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;
using testing::RawClient;

const net::Endpoint kAnyPort{.host = "127.0.0.1", .port = 0};
constexpr std::string_view kGetHealth = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view kGetStats = "GET /stats.json HTTP/1.1\r\nHost: localhost\r\n\r\n";

StatsSources sources() {
  return {.snapshot =
              [] {
                stats::Snapshot snapshot;
                snapshot.server.version = "1.2.3";
                return snapshot;
              },
          .healthy = [] { return true; }};
}

std::unique_ptr<StatsEndpoint> start(const net::Endpoint& endpoint = kAnyPort,
                                     const StatsEndpointOptions& options = {}) {
  auto started = StatsEndpoint::start(endpoint, sources(), options);
  EXPECT_TRUE(started) << started.error().message;
  return std::move(*started);
}

bool is_ok(std::string_view answer) { return answer.starts_with("HTTP/1.1 200 OK\r\n"); }

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "h2park-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

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

TEST(StatsEndpoint, ClosesOnAClientThatDoesNotFinishItsHead) {
  const auto endpoint = start(kAnyPort, {.request_timeout = 30ms});
  RawClient client(endpoint->endpoint());
  client.send(kGetHealth.substr(0, 20));
  EXPECT_TRUE(client.is_closed());
}

TEST(StatsEndpoint, ClosesOnAClientThatLingersBehindARefusal) {
  const auto endpoint = start(kAnyPort, {.request_timeout = 30ms});
  RawClient client(endpoint->endpoint());
  EXPECT_TRUE(client.exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(client.is_closed());
}

TEST(StatsEndpoint, ClosesAnIdleConnectionBeforeAndAfterARequest) {
  const auto endpoint = start(kAnyPort, {.idle_timeout = 30ms});
  RawClient silent(endpoint->endpoint());
  EXPECT_TRUE(silent.is_closed());
  RawClient done(endpoint->endpoint());
  EXPECT_TRUE(is_ok(done.exchange(kGetHealth)));
  EXPECT_TRUE(done.is_closed());
}

TEST(StatsEndpoint, ServesSixtyFourAtOnceAndOneMoreInPlaceOfTheLongestIdle) {
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

TEST(StatsEndpoint, LetsAClientWaitWhileAllAreBusy) {
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

TEST(StatsEndpoint, ServesAgainOnceDescriptorsAreThere) {
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

TEST(StatsEndpoint, StopsAtOnceWithOpenConnections) {
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

TEST(StatsEndpoint, FreesItsPortWhenItStops) {
  auto endpoint = start();
  const net::Endpoint where = endpoint->endpoint();
  endpoint.reset();
  EXPECT_EQ(start(where)->endpoint(), where);
}

TEST(StatsEndpoint, NamesATakenPort) {
  const auto endpoint = start();
  const auto second = StatsEndpoint::start(endpoint->endpoint(), sources());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().exit, Error::Exit::kFailure);
  EXPECT_EQ(second.error().message,
            "--stats: cannot listen on " + endpoint->endpoint().text() + ": Address already in use");
}

TEST(StatsEndpoint, RefusesAnAddressThatOthersCanReach) {
  for (const char* host : {"0.0.0.0", "::"}) {
    const net::Endpoint where{.host = host, .port = 0};
    const auto refused = StatsEndpoint::start(where, sources());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().exit, Error::Exit::kUsage);
    EXPECT_EQ(refused.error().message,
              "--stats: " + where.text() +
                  " can be reached from other machines; give a loopback address or unix:PATH");
  }
}

TEST(StatsEndpoint, ListensOnAUnixSocketThatOnlyItsOwnerMayUse) {
  const TemporaryFolder folder;
  const net::Endpoint where{.unix_path = folder.file("stats.sock")};
  const mode_t before = ::umask(0);
  auto endpoint = start(where);
  ::umask(before);
  EXPECT_EQ(endpoint->endpoint(), where);
  struct stat info {};
  ASSERT_EQ(::stat(where.unix_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  RawClient client(where);
  EXPECT_TRUE(is_ok(client.exchange("GET /healthz HTTP/1.1\r\nHost: whatever\r\n\r\n")));
  endpoint.reset();
  EXPECT_NE(::stat(where.unix_path.c_str(), &info), 0);
}

TEST(StatsEndpoint, RefusesAUnixSocketInUse) {
  const TemporaryFolder folder;
  const net::Endpoint where{.unix_path = folder.file("stats.sock")};
  const auto endpoint = start(where);
  const auto second = StatsEndpoint::start(where, sources());
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().message.starts_with("--stats: cannot listen on unix:"))
      << second.error().message;
  RawClient client(where);
  EXPECT_TRUE(is_ok(client.exchange(kGetHealth)));
}

TEST(StatsEndpoint, LeavesSignalsToOtherThreads) {
  const auto endpoint = start();
  RawClient client(endpoint->endpoint());
  EXPECT_TRUE(is_ok(client.exchange(kGetHealth)));
  int found = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name != "h2park-stats") continue;
    ++found;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigBlk:")) continue;
      const std::uint64_t blocked = std::stoull(line.substr(7), nullptr, 16);
      for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
        EXPECT_NE(blocked & (std::uint64_t{1} << (signal - 1)), 0U) << signal;
      }
    }
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace h2park::readout
