#include "stats/reading.hpp"

#include "stats/fields.hpp"
#include "stats/json.hpp"

#include <gtest/gtest.h>

namespace h2park::stats {
namespace {

Snapshot snapshot() {
  Snapshot s;
  s.server = {.version = "1.2.3", .pid = 7, .uptime_s = 1.5, .parking = true};
  s.connections.open = 3;
  s.connections.closed = {{{"client", 12}, {"idle", 0}}};
  s.requests.by_status = {{{"2xx", 5}}};
  return s;
}

TEST(Reading, HasEveryFieldOfASnapshotUnderItsDottedName) {
  const Reading reading = to_reading(snapshot());
  EXPECT_EQ(std::get<std::string>(reading.find("version")->value), "1.2.3");
  EXPECT_EQ(reading.number("uptime_s"), 1.5);
  EXPECT_EQ(reading.number("parking"), 1.0);
  EXPECT_EQ(reading.number("connections.open"), 3.0);
  EXPECT_EQ(reading.number("connections.closed.client"), 12.0);
  EXPECT_EQ(reading.number("connections.closed.idle"), 0.0);
  EXPECT_EQ(reading.number("requests.by_status.2xx"), 5.0);
  EXPECT_EQ(reading.entries.front().name(), "version");
  for (const Entry& entry : reading.entries) EXPECT_EQ(reading.find(entry.name()), &entry) << entry.name();
}

TEST(Reading, TellsNullFromZeroAndFromWhatIsNotThere) {
  const Reading reading = to_reading(snapshot());
  ASSERT_NE(reading.find("tasks.live"), nullptr);
  EXPECT_TRUE(is_null(reading.find("tasks.live")->value));
  EXPECT_EQ(reading.number("tasks.live"), std::nullopt);
  // A tally that is not known has no keys, and is there as null.
  ASSERT_NE(reading.find("parking_events.wakes_by"), nullptr);
  EXPECT_TRUE(is_null(reading.find("parking_events.wakes_by")->value));
  for (const char* name :
       {"", "open", "connections", "connections.ope", "connections.openx", "connections.open/s",
        "connections.closed.clien", "connections.closed", ".open", "connections..open"}) {
    EXPECT_EQ(reading.find(name), nullptr) << name;
  }
}

TEST(Reading, CountsNoTextAsANumber) { EXPECT_EQ(to_reading(snapshot()).number("version"), std::nullopt); }

TEST(ReadingAsJson, SaysTheSameAsItsSnapshot) {
  EXPECT_EQ(to_json(to_reading(snapshot()).entries).substr(0, 60), to_json(snapshot()).substr(0, 60));
  Snapshot full = snapshot();
  full.connections.closed.emplace();
  full.connections.closed->emplace_back("client", 1);
  full.parking_events.wakes_by = {{{"timer", 2}}};
  full.memory.rss_bytes = 1;
  EXPECT_EQ(to_json(to_reading(full).entries), to_json(full));
}

TEST(ReadingAsJson, KeepsOnlyWhatIsChosenInItsShape) {
  const Reading reading = to_reading(snapshot());
  const std::vector<Entry> chosen{*reading.find("connections.closed.client"), *reading.find("version"),
                                  *reading.find("connections.open"), *reading.find("tasks.live"),
                                  *reading.find("connections.closed.client")};
  EXPECT_EQ(to_json(chosen),
            R"({"connections":{"closed":{"client":12},"open":3},"version":"1.2.3","tasks":{"live":null}})"
            "\n");
}

TEST(ReadingAsJson, NamesRatesApart) {
  const Reading reading = to_reading(snapshot());
  Entry rate = *reading.find("connections.closed.idle");
  rate.per_second = true;
  rate.value = 0.25;
  EXPECT_EQ(to_json(std::vector{*reading.find("connections.closed.idle"), rate}),
            R"({"connections":{"closed":{"idle":0,"idle/s":0.25}}})"
            "\n");
}

}  // namespace
}  // namespace h2park::stats
