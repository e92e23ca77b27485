#include "stats/text.hpp"

#include <gtest/gtest.h>

namespace h2park::stats {
namespace {

Snapshot busy_server() {
  Snapshot s;
  s.server = {.version = "1.2.3", .pid = 4242, .uptime_s = 93784.5, .parking = true, .threads = 2};
  s.connections = {.open = 5000,
                   .accepted = 5012,
                   .refused = 0,
                   .h1 = 1,
                   .h2 = 4999,
                   .tls = 0,
                   .active = 3,
                   .idle = 4998,
                   .parked = 4997,
                   .closed = {{{"client", 12}, {"idle", 0}}}};
  s.tasks = {.live = 4, .serve = 3, .handler = 1, .other = 0, .created = 9000};
  s.memory = {.rss_bytes = 24'576'000,
              .heap_bytes = 1'048'576,
              .frame_bytes = 900,
              .buffer_bytes = 0,
              .socket_kernel_bytes = 4096};
  s.parking_events = {
      .parks = 6000, .wakes = 1003, .wakes_by = {{{"readable", 1000}, {"body", 0}, {"timer", 3}}}};
  s.requests = {.total = 6001,
                .in_flight = 1,
                .by_status = {{{"2xx", 6000}, {"4xx", 0}}},
                .streams_open = 1,
                .log_dropped = 2};
  return s;
}

TEST(StatsText, AlignsNamesValuesAndRoundedValues) {
  EXPECT_EQ("\n" + to_text(busy_server()), R"(
server
  version                         1.2.3
  pid                              4242
  uptime_s                      93784.5  1d 2h 3m 4s
  parking                            on
  freeze_after_s                  never
  threads                             2

connections
  open                             5000
  accepted                         5012
  refused                             0
  h1                                  1
  h2                               4999
  tls                                 0
  active                              3
  idle                             4998
  parked                           4997
  frozen                              -
  closed.client                      12

tasks
  live                                4
  serve                               3
  handler                             1
  other                               0
  created                          9000

memory
  rss_bytes                    24576000  23.4 MiB
  heap_bytes                    1048576  1.0 MiB
  frame_bytes                       900
  slot_bytes                          -
  frozen_bytes                        -
  quarantined_slots                   -
  slot_overflows                      -
  buffer_bytes                        0
  socket_kernel_bytes              4096  4.0 KiB
  socket_fixed_bytes                  -
  bytes_per_parked_connection         -

parking
  parks                            6000
  wakes                            1003
  wakes_by.readable                1000
  wakes_by.timer                      3
  freezes                             -
  thaws                               -

requests
  total                            6001
  in_flight                           1
  by_status.2xx                    6000
  streams_open                        1
  log_dropped                         2
)");
}

TEST(StatsText, WidensTheColumnForALongValue) {
  Snapshot snapshot;
  snapshot.server.version = "1.2.3-a-long-version-name";
  const std::string text = to_text(snapshot);
  EXPECT_NE(text.find("  version                      1.2.3-a-long-version-name\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  pid                                                  -\n"), std::string::npos)
      << text;
}

TEST(StatsText, ShowsOffWhenParkingIsOff) {
  Snapshot snapshot = busy_server();
  snapshot.server.parking = false;
  EXPECT_NE(to_text(snapshot).find("  parking                           off\n"), std::string::npos);
}

TEST(StatsText, ShowsADashForATallyThatIsNotKnown) {
  Snapshot snapshot = busy_server();
  snapshot.connections.closed.reset();
  EXPECT_NE(to_text(snapshot).find("  closed                              -\n"), std::string::npos);
}

TEST(StatsText, KeepsAServersControlCharactersFromTheTerminal) {
  Snapshot snapshot;
  snapshot.server.version = "1\x1b[2J\x7f";
  snapshot.connections.closed = {{{"a\nb", 1}}};
  const std::string text = to_text(snapshot);
  EXPECT_NE(text.find("1?[2J?"), std::string::npos) << text;
  EXPECT_NE(text.find("closed.a?b"), std::string::npos) << text;
}

TEST(StatsText, RoundsSizes) {
  EXPECT_EQ(rounded_size(0), "");
  EXPECT_EQ(rounded_size(1023), "");
  EXPECT_EQ(rounded_size(1024), "1.0 KiB");
  EXPECT_EQ(rounded_size(1536), "1.5 KiB");
  EXPECT_EQ(rounded_size(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(rounded_size(1024 * 1023), "1023.0 KiB");
  EXPECT_EQ(rounded_size(std::uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(rounded_size(~std::uint64_t{0}), "16777216.0 TiB");
}

TEST(StatsText, RoundsTimes) {
  EXPECT_EQ(rounded_time(-5), "");
  EXPECT_EQ(rounded_time(59.9), "");
  EXPECT_EQ(rounded_time(60), "1m 0s");
  EXPECT_EQ(rounded_time(3600), "1h 0m 0s");
  EXPECT_EQ(rounded_time(86400), "1d 0h 0m 0s");
  EXPECT_EQ(rounded_time(1e300), "");
}

}  // namespace
}  // namespace h2park::stats
