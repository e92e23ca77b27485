// The reuse table: 100 requests one after the other whose bodies nobody reads, for each kind of body, with
// draining and without. What is asserted for each: how many connections it takes, what became of the bodies,
// and that no request waited for a drain.
#include "client/client.hpp"
#include "support/client_house.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;
using test::ClientHouse;
using test::OriginConnection;

constexpr int kRequests = 100;
constexpr Duration kDialTime = 1ms;

struct Expected {
  int opened;
  DrainResult result;
  CloseReason close = CloseReason::kNone;
};

struct Row {
  std::string name;
  std::function<void(OriginConnection&)> respond;
  Expected draining;
  Expected abandoning;
  std::uint64_t read = 0;  // of each body
  Duration every{};        // a request is begun this often; 0: when the one before is answered
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

std::function<void(OriginConnection&)> say(std::string response) {
  return [response = std::move(response)](OriginConnection& connection) { connection.send(response); };
}

std::function<void(OriginConnection&)> say_and_close(std::string response) {
  return [response = std::move(response)](OriginConnection& connection) {
    connection.send(response);
    connection.close();
  };
}

// A body of ten pieces that takes `time` from the first to the last.
std::function<void(OriginConnection&)> trickle(Duration time) {
  return [time](OriginConnection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    for (int piece = 1; piece <= 10; ++piece) connection.send_after(time * piece / 10, std::string(100, 'x'));
  };
}

class ReuseTable : public testing::TestWithParam<Row> {
 protected:
  // One request after the other, whether the one before is drained or not.
  static void make_requests(ClientHouse& house) {
    if (GetParam().every > 0ms) {
      for (int i = 0; i < kRequests; ++i) {
        house.begin("GET", GetParam().read);
        house.advance(GetParam().every);
      }
      return;
    }
    const Task<> requests = house.fetch_in_a_row(kRequests, GetParam().read);
    for (int ms = 0; !requests.done() && ms < 10'000; ++ms) house.advance(1ms);
    ASSERT_TRUE(requests.done());
  }

  void run(bool drain, const Expected& expected) {
    Options options;
    options.drain.enabled = drain;
    ClientHouse house(
        [&](OriginConnection& connection, const std::string&) { GetParam().respond(connection); }, options);
    house.origin.dial_time = kDialTime;
    make_requests(house);
    house.advance(1s);

    EXPECT_EQ(house.origin.requests(), kRequests);
    EXPECT_EQ(house.origin.opened(), expected.opened);
    EXPECT_EQ(house.counts().opened, static_cast<std::uint64_t>(expected.opened));
    EXPECT_EQ(house.drains(expected.result), static_cast<std::uint64_t>(kRequests));
    EXPECT_EQ(house.counts().draining, 0U);
    EXPECT_EQ(house.closed(expected.close), expected.close == CloseReason::kNone ? 0U : 100U);
    for (const test::Fetched& fetched : house.fetches) {
      ASSERT_EQ(fetched.settled, 1);
      EXPECT_FALSE(fetched->failure);
      EXPECT_EQ(fetched->drain.result, expected.result);
      EXPECT_EQ(fetched->drain.close, expected.close);
      EXPECT_LE(fetched->timings.ready - fetched->timings.start, kDialTime) << "waited for a drain";
    }
  }
};

TEST_P(ReuseTable, WithDraining) { run(true, GetParam().draining); }
TEST_P(ReuseTable, WithoutDraining) { run(false, GetParam().abandoning); }

constexpr std::size_t kKiB = 1024;
const Expected kAbandoned{kRequests, DrainResult::kNotReusable, CloseReason::kNoDrain};
Expected closes(CloseReason reason) { return {kRequests, DrainResult::kNotReusable, reason}; }

std::vector<Row> rows() {
  using test::chunked_response_of;
  using test::response_of;
  const Expected reuses{1, DrainResult::kDrained};
  const Expected known{kRequests, DrainResult::kOverLimitKnown, CloseReason::kOverLimitKnown};
  const Expected over{kRequests, DrainResult::kOverLimit, CloseReason::kOverLimit};
  const Expected late{kRequests, DrainResult::kTimedOut, CloseReason::kDrainTimedOut};
  return {
      {"length_100_bytes", say(response_of(100)), reuses, kAbandoned},
      {"length_4_kib", say(response_of(4 * kKiB)), reuses, kAbandoned},
      {"length_200_kib", say(response_of(200 * kKiB)), reuses, kAbandoned},
      // More than a socket holds: the next request dials, and is served faster by the drained connection.
      {"length_256_kib", say(response_of(256 * kKiB)), {2, DrainResult::kDrained}, kAbandoned},
      {"length_256_kib_and_one", say(response_of(256 * kKiB + 1)), known, kAbandoned},
      {"length_1_mib", say(response_of(1024 * kKiB)), known, kAbandoned},
      {"chunked_100_bytes", say(chunked_response_of(100)), reuses, kAbandoned},
      {"chunked_4_kib", say(chunked_response_of(4 * kKiB)), reuses, kAbandoned},
      {"chunked_200_kib", say(chunked_response_of(200 * kKiB)), reuses, kAbandoned},
      {"chunked_256_kib", say(chunked_response_of(256 * kKiB)), {2, DrainResult::kDrained}, kAbandoned},
      {"chunked_256_kib_and_one", say(chunked_response_of(256 * kKiB + 1)), over, kAbandoned},
      {"chunked_1_mib", say(chunked_response_of(1024 * kKiB)), over, kAbandoned},
      {"trailing_newline", say("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}\n"), reuses, kAbandoned, 2},
      {"chunked_last_chunk_only",
       say(chunked_response_of(2)),
       {1, DrainResult::kComplete},
       {1, DrainResult::kComplete},
       2},
      // Every request that finds all connections draining dials one more.
      {"trickles_20_ms", trickle(20ms), {54, DrainResult::kDrained}, kAbandoned},
      {"trickles_20_ms_asked_every_25", trickle(20ms), reuses, kAbandoned, 0, 25ms},
      {"trickles_80_ms_asked_every_100", trickle(80ms), late, kAbandoned, 0, 100ms},
      {"trickles_80_ms", trickle(80ms), late, kAbandoned},
      {"connection_close", say_and_close(response_of(100, "Connection: close\r\n")),
       closes(CloseReason::kConnectionClose), closes(CloseReason::kConnectionClose)},
      {"http10", say_and_close("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"),
       closes(CloseReason::kHttp10), closes(CloseReason::kHttp10)},
      {"http10_keep_alive", say("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"),
       reuses, kAbandoned},
      {"until_close", say_and_close("HTTP/1.1 200 OK\r\n\r\nuntil the end"), closes(CloseReason::kUntilClose),
       closes(CloseReason::kUntilClose)},
      {"read_to_the_end",
       say(response_of(100)),
       {1, DrainResult::kComplete},
       {1, DrainResult::kComplete},
       kReadAll},
      {"no_body",
       say("HTTP/1.1 204 No Content\r\n\r\n"),
       {1, DrainResult::kComplete},
       {1, DrainResult::kComplete}},
  };
}

INSTANTIATE_TEST_SUITE_P(Bodies, ReuseTable, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace h2park::client
