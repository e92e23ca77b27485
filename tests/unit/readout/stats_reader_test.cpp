#include "readout/stats_reader.hpp"

#include "net/listen_socket.hpp"
#include "net/socket_address.hpp"
#include "readout/stats_endpoint.hpp"
#include "stats/json.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <thread>

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;

stats::Snapshot snapshot() {
  stats::Snapshot out;
  out.server.version = "1.2.3";
  out.connections.open = 7;
  return out;
}

std::string answer_with(std::string_view body, std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

/// Listens; optionally answers one client with given bytes, in pieces, and closes.
class CannedServer {
 public:
  explicit CannedServer(std::vector<std::string> pieces) : CannedServer() {
    thread_ = std::jthread([this, pieces = std::move(pieces)] { serve(pieces); });
  }
  /// Lets clients connect and keeps silent.
  CannedServer()
      : listener_(std::move(net::listen_on({.host = "127.0.0.1", .port = 0}, 1).value().front())) {}

  net::Endpoint endpoint() const {
    return {.host = "127.0.0.1", .port = net::local_address(listener_.descriptor()).value().port()};
  }
  /// What the client sent. Requires: it has been answered.
  std::string request() {
    thread_.join();
    return request_;
  }

 private:
  static void wait(int fd, short events) {
    pollfd entry{.fd = fd, .events = events, .revents = 0};
    ::poll(&entry, 1, 10'000);
  }
  void serve(const std::vector<std::string>& pieces) {
    wait(listener_.descriptor(), POLLIN);
    const net::Accepted client = listener_.accept();
    if (client.status != net::AcceptStatus::kConnection) return;
    std::array<char, 4096> bytes;
    while (!request_.ends_with("\r\n\r\n")) {
      wait(client.socket.get(), POLLIN);
      const ssize_t n = ::recv(client.socket.get(), bytes.data(), bytes.size(), 0);
      if (n <= 0) return;
      request_.append(bytes.data(), static_cast<std::size_t>(n));
    }
    for (std::string_view piece : pieces) {
      while (!piece.empty()) {
        wait(client.socket.get(), POLLOUT);
        const ssize_t n = ::send(client.socket.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
        if (n <= 0) return;
        piece.remove_prefix(static_cast<std::size_t>(n));
      }
    }
  }

  net::ListenSocket listener_;
  std::string request_;
  std::jthread thread_;
};

std::string failure(const net::Endpoint& endpoint, Duration timeout = 10s) {
  const auto answer = read_stats(endpoint, {.timeout = timeout});
  EXPECT_FALSE(answer);
  if (answer) return "";
  EXPECT_EQ(answer.error().exit, Error::Exit::kFailure);
  const std::string& message = answer.error().message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  const std::string prefix = "cannot read stats from " + endpoint.text() + ": ";
  EXPECT_TRUE(message.starts_with(prefix)) << message;
  return message.substr(std::min(prefix.size(), message.size()));
}

std::string failure(const std::string& answer) {
  const CannedServer server({answer});
  return failure(server.endpoint());
}

constexpr std::string_view kStranger = "whoever listens there is not the stats endpoint of h2park ";

TEST(StatsReader, ReadsAStatsEndpointAndKeepsItsBytes) {
  for (const net::Endpoint& where :
       {net::Endpoint{.host = "127.0.0.1", .port = 0}, {.host = "localhost", .port = 0}}) {
    const auto endpoint = StatsEndpoint::start(where, {.snapshot = snapshot, .healthy = [] { return true; }});
    ASSERT_TRUE(endpoint) << endpoint.error().message;
    const auto answer = read_stats((*endpoint)->endpoint());
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->json, stats::to_json(snapshot()));
    EXPECT_EQ(answer->snapshot.connections.open, 7U);
  }
}

TEST(StatsReader, ReadsAUnixSocket) {
  const std::string path = ::testing::TempDir() + "h2park-reader-" + std::to_string(::getpid()) + ".sock";
  const auto endpoint =
      StatsEndpoint::start({.unix_path = path}, {.snapshot = snapshot, .healthy = [] { return true; }});
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  const auto answer = read_stats((*endpoint)->endpoint());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->snapshot.server.version, "1.2.3");
}

TEST(StatsReader, AsksOnceAndSaysSo) {
  CannedServer server({answer_with(stats::to_json(snapshot()))});
  EXPECT_TRUE(read_stats(server.endpoint()));
  const std::string request = server.request();
  EXPECT_TRUE(request.starts_with("GET /stats.json HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("\r\nHost: localhost\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("\r\nConnection: close\r\n"), std::string::npos) << request;
}

TEST(StatsReader, ShowsItsTokenAndNoneUnasked) {
  const std::string answer = answer_with(stats::to_json(snapshot()));
  CannedServer asked({answer});
  EXPECT_TRUE(read_stats(asked.endpoint(), {.token = "abc.123=="}));
  const std::string request = asked.request();
  EXPECT_NE(request.find("\r\nAuthorization: Bearer abc.123==\r\n"), std::string::npos) << request;
  CannedServer unasked({answer});
  EXPECT_TRUE(read_stats(unasked.endpoint()));
  EXPECT_EQ(unasked.request().find("Authorization"), std::string::npos);
}

TEST(StatsReader, SaysThatATokenIsWantedOrRefused) {
  const std::string refusal = answer_with("", "401 Unauthorized");
  EXPECT_EQ(failure(refusal), "it wants a token (--stats-token)");
  const CannedServer server({refusal});
  const auto answer = read_stats(server.endpoint(), {.token = "abc"});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().message.ends_with(": it does not accept this token")) << answer.error().message;
}

TEST(StatsReader, ReadsAnAnswerInAnyTwoPieces) {
  const std::string whole = answer_with(R"({"version":"1","connections":{},"tasks":{}})");
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const CannedServer server({whole.substr(0, cut), whole.substr(cut)});
    EXPECT_TRUE(read_stats(server.endpoint())) << cut;
  }
}

TEST(StatsReader, ReadsAChunkedAnswer) {
  const CannedServer server({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2c\r\n",
                             R"({"version":"1","connections":{},"tasks":{}} )", "\r\n0\r\n\r\n"});
  const auto answer = read_stats(server.endpoint());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->snapshot.server.version, "1");
}

TEST(StatsReader, SaysThatNobodyListens) {
  net::Endpoint nobody;
  {
    const CannedServer server;
    nobody = server.endpoint();
  }
  EXPECT_EQ(failure(nobody), "Connection refused");
  EXPECT_EQ(failure(net::Endpoint{.unix_path = "/nowhere/stats.sock"}), "No such file or directory");
}

TEST(StatsReader, SaysThatAnInterfaceIsUnknown) {
  EXPECT_EQ(failure(net::Endpoint{.host = "fe80::1%nosuch0", .port = 1}), "No such device");
}

TEST(StatsReader, GivesUpOnASilentServer) {
  const CannedServer server;
  EXPECT_EQ(failure(server.endpoint(), 30ms), "no answer within 30ms");
}

TEST(StatsReader, SaysThatAnotherServerAnswers) {
  EXPECT_EQ(failure(answer_with("no", "404 Not Found")), std::string(kStranger) + "(HTTP status 404)");
  EXPECT_EQ(failure(answer_with("[1]")),
            std::string(kStranger) + "(its answer is not the statistics of h2park)");
  EXPECT_TRUE(
      failure(answer_with("<html>")).starts_with(std::string(kStranger) + "(its answer is not JSON: "));
  EXPECT_TRUE(failure("SSH-2.0-OpenSSH_9.2\r\n\r\n")
                  .starts_with(std::string(kStranger) + "(its answer is not HTTP/1: "));
}

TEST(StatsReader, SaysThatAnAnswerEndsEarly) {
  const std::string whole = answer_with(R"({"version":"1","connections":{},"tasks":{}})");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(failure(whole.substr(0, cut)), "the connection was closed before the answer was complete")
        << cut;
  }
}

TEST(StatsReader, RefusesAnAnswerWithoutEnd) {
  const std::string large(kMaxStatsBytes + 1, ' ');
  EXPECT_EQ(failure(answer_with(large)), std::string(kStranger) + "(it answers with more than 1MiB)");
  EXPECT_EQ(failure("HTTP/1.1 200 OK\r\n\r\n" + large),
            std::string(kStranger) + "(it answers with more than 1MiB)");
  EXPECT_EQ(failure("HTTP/1.1 200 OK\r\nX: " + large),
            std::string(kStranger) + "(it answers with more than 1MiB)");
}

}  // namespace
}  // namespace h2park::readout
