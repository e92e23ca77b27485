#include "readout/stats_endpoint.hpp"

// Where it listens, who may connect, its thread.
#include "endpoint_rig.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace h2park::readout {
namespace {

using namespace testing;

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

TEST(StatsEndpointListen, FreesItsPortWhenItStops) {
  auto endpoint = start();
  const net::Endpoint where = endpoint->endpoint();
  endpoint.reset();
  EXPECT_EQ(start(where)->endpoint(), where);
}

TEST(StatsEndpointListen, NamesATakenPort) {
  const auto endpoint = start();
  const auto second = StatsEndpoint::start(endpoint->endpoint(), sources());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().exit, Error::Exit::kFailure);
  EXPECT_EQ(second.error().message,
            "--stats: cannot listen on " + endpoint->endpoint().text() + ": Address already in use");
}

TEST(StatsEndpointListen, RefusesAnAddressThatOthersCanReach) {
  for (const char* host : {"0.0.0.0", "::"}) {
    const net::Endpoint where{.host = host, .port = 0};
    const auto refused = StatsEndpoint::start(where, sources());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().exit, Error::Exit::kUsage);
    EXPECT_EQ(refused.error().message,
              "--stats: " + where.text() +
                  " can be reached from other machines and needs --stats-token; or give a loopback address "
                  "or unix:PATH");
  }
}

TEST(StatsEndpointListen, TakesAnAddressThatOthersCanReachWithAToken) {
  const auto endpoint = start({.host = "0.0.0.0", .port = 0}, {.token = "s3cret"});
  RawClient client(endpoint->endpoint());
  constexpr std::string_view kHead = "GET /stats.json HTTP/1.1\r\nHost: elsewhere.example\r\n";
  EXPECT_TRUE(client.exchange(std::string(kHead) + "\r\n").starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(is_ok(client.exchange(std::string(kHead) + "Authorization: Bearer s3cret\r\n\r\n")));
}

TEST(StatsEndpointListen, WantsTheTokenOnEveryAddress) {
  const TemporaryFolder folder;
  for (const net::Endpoint& where : {kAnyPort, net::Endpoint{.unix_path = folder.file("stats.sock")}}) {
    const auto endpoint = start(where, {.token = "s3cret"});
    RawClient client(endpoint->endpoint());
    EXPECT_TRUE(client.exchange(kGetStats).starts_with("HTTP/1.1 401 "));
    EXPECT_TRUE(is_ok(client.exchange(kGetHealth)));
  }
}

TEST(StatsEndpointListen, ListensOnAUnixSocketThatOnlyItsOwnerMayUse) {
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

TEST(StatsEndpointListen, RefusesAUnixSocketInUse) {
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

TEST(StatsEndpointListen, LeavesSignalsToOtherThreads) {
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
