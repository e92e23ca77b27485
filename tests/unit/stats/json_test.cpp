#include "stats/json.hpp"

#include "stats/fields.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace h2park::stats {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

/// Every key in the order of the text, with the objects that hold it: "memory.rss_bytes".
std::vector<std::string> paths_in(const json::object& object, const std::string& prefix = "") {
  std::vector<std::string> out;
  for (const auto& [name, value] : object) {
    const std::string path = prefix + std::string(std::string_view(name));
    out.push_back(path);
    if (!value.is_object()) continue;
    for (std::string& inner : paths_in(value.get_object(), path + ".")) out.push_back(std::move(inner));
  }
  return out;
}

constexpr std::array<std::string_view, 2> kReasons = {"client", "idle"};
const Facts kFacts = {.version = "1.2.3", .pid = 1, .started = {}, .threads = 2, .close_reasons = kReasons};

Snapshot small_snapshot() {
  const ThreadCounters counters;
  const ThreadCounters* threads[] = {&counters};
  return collect(threads, kFacts, TimePoint{} + 12'345ms);
}

/// The promise to scripts, word for word. A name is added here on purpose or not at all.
const std::vector<std::string> kPromised = {
    "version",
    "pid",
    "uptime_s",
    "parking",
    "freeze_after_s",
    "threads",
    "connections",
    "connections.open",
    "connections.accepted",
    "connections.refused",
    "connections.h1",
    "connections.h2",
    "connections.tls",
    "connections.active",
    "connections.idle",
    "connections.parked",
    "connections.frozen",
    "connections.closed",
    "connections.closed.client",
    "connections.closed.idle",
    "tasks",
    "tasks.live",
    "tasks.serve",
    "tasks.handler",
    "tasks.other",
    "tasks.created",
    "memory",
    "memory.rss_bytes",
    "memory.heap_bytes",
    "memory.frame_bytes",
    "memory.slot_bytes",
    "memory.frozen_bytes",
    "memory.quarantined_slots",
    "memory.slot_overflows",
    "memory.buffer_bytes",
    "memory.socket_kernel_bytes",
    "memory.socket_fixed_bytes",
    "memory.bytes_per_parked_connection",
    "parking_events",
    "parking_events.parks",
    "parking_events.wakes",
    "parking_events.wakes_by",
    "parking_events.wakes_by.readable",
    "parking_events.wakes_by.handler",
    "parking_events.wakes_by.body",
    "parking_events.wakes_by.timer",
    "parking_events.wakes_by.shutdown",
    "parking_events.wakes_by.write",
    "parking_events.freezes",
    "parking_events.thaws",
    "requests",
    "requests.total",
    "requests.in_flight",
    "requests.by_status",
    "requests.by_status.1xx",
    "requests.by_status.2xx",
    "requests.by_status.3xx",
    "requests.by_status.4xx",
    "requests.by_status.5xx",
    "requests.by_status.none",
    "requests.streams_open",
    "requests.log_dropped",
};

TEST(StatsJson, HasExactlyThePromisedNamesInOrder) {
  EXPECT_EQ(paths_in(json::parse(to_json(small_snapshot())).get_object()), kPromised);
}

TEST(StatsJson, HasTheSameNamesWhenNothingIsKnown) {
  std::vector<std::string> expected;
  for (const std::string& path : kPromised) {
    const auto in = [&](std::string_view tally) { return path.starts_with(tally); };
    if (!in("connections.closed.") && !in("parking_events.wakes_by.") && !in("requests.by_status.")) {
      expected.push_back(path);
    }
  }
  EXPECT_EQ(paths_in(json::parse(to_json(Snapshot{})).get_object()), expected);
}

TEST(StatsJson, IsOneLineThatEndsWithANewline) {
  const std::string text = to_json(small_snapshot());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_TRUE(text.starts_with(R"({"version":"1.2.3","pid":1,"uptime_s":12.345,"parking":true,)"
                               R"("freeze_after_s":null,"threads":2,"connections":{"open":0,)"))
      << text;
}

TEST(StatsJson, WritesAnEmptyTallyAsAnEmptyObject) {
  Snapshot snapshot;
  snapshot.connections.closed.emplace();
  EXPECT_EQ(json::parse(to_json(snapshot)).at("connections").at("closed"), json::object());
}

TEST(StatsJson, WritesNumbersAsPlainDecimals) {
  Snapshot snapshot;
  snapshot.server.uptime_s = 1e7;
  snapshot.server.freeze_after_s = 0.001;
  snapshot.memory.rss_bytes = std::numeric_limits<std::uint64_t>::max();
  const std::string text = to_json(snapshot);
  EXPECT_NE(text.find(R"("uptime_s":10000000,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("freeze_after_s":0.001,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("rss_bytes":18446744073709551615,)"), std::string::npos) << text;
}

TEST(StatsJson, EscapesStrings) {
  Snapshot snapshot;
  snapshot.server.version = "a\"b\n";
  EXPECT_TRUE(to_json(snapshot).starts_with(R"({"version":"a\"b\n",)"));
}

TEST(StatsJson, ReadsBackWhatItWrites) {
  ThreadCounters counters;
  counters.open.set(7);
  counters.closed[1].set(5);
  counters.wakes[3].set(4);
  const ThreadCounters* threads[] = {&counters};
  const std::string text = to_json(collect(threads, kFacts, TimePoint{} + 12'345ms));
  const Result<Snapshot> read = from_json(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->connections.open, 7U);
  EXPECT_EQ(read->server.uptime_s, 12.345);
  EXPECT_EQ(to_json(*read), text);
}

TEST(StatsJson, SkipsUnknownFieldsAndTakesMissingOnesAsNull) {
  const Result<Snapshot> read = from_json(
      R"({"version":"9.0","new":{"a":[1]},"connections":{"open":3,"quantum":1,"closed":{"later":2,"odd":"x"}},)"
      R"("tasks":{}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->server.version, "9.0");
  EXPECT_EQ(read->connections.open, 3U);
  EXPECT_EQ(read->connections.parked, std::nullopt);
  EXPECT_EQ(read->connections.closed, (Tally{{{"later", 2}}}));
  EXPECT_EQ(read->memory.rss_bytes, std::nullopt);
  EXPECT_EQ(read->requests.by_status, std::nullopt);
}

TEST(StatsJson, TakesAValueOfAnotherTypeAsNull) {
  const Result<Snapshot> read = from_json(
      R"({"version":"9.0","pid":-1,"uptime_s":"long","parking":1,"threads":1e300,"connections":{"open":"3",)"
      R"("accepted":2.6,"refused":null,"closed":[]},"tasks":{},"memory":7})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->server.pid, std::nullopt);
  EXPECT_EQ(read->server.uptime_s, std::nullopt);
  EXPECT_EQ(read->server.parking, std::nullopt);
  EXPECT_EQ(read->server.threads, std::nullopt);
  EXPECT_EQ(read->connections.open, std::nullopt);
  EXPECT_EQ(read->connections.accepted, 3U);
  EXPECT_EQ(read->connections.refused, std::nullopt);
  EXPECT_EQ(read->connections.closed, std::nullopt);
  EXPECT_EQ(read->memory.rss_bytes, std::nullopt);
}

TEST(StatsJson, RefusesWhatIsNoH2park) {
  for (const char* text :
       {"[]", "{}", "3", R"({"version":"1"})", R"({"version":1,"connections":{},"tasks":{}})",
        R"({"version":"1","connections":{},"tasks":[]})"}) {
    const Result<Snapshot> read = from_json(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, "not the statistics of h2park");
  }
}

TEST(StatsJson, RefusesEveryCutOfATrueAnswer) {
  const std::string text = to_json(small_snapshot());
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    const Result<Snapshot> read = from_json(std::string_view(text).substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_TRUE(read.error().message.starts_with("not JSON: ")) << read.error().message;
  }
}

TEST(StatsFields, AreGroupedAndExplained) {
  std::vector<std::string_view> groups;
  for (const Field& field : fields()) {
    if (groups.empty() || groups.back() != field.group) groups.push_back(field.group);
    EXPECT_FALSE(field.help.empty()) << field.name;
    EXPECT_FALSE(field.help.ends_with('.')) << field.name;
    EXPECT_EQ(std::holds_alternative<Place<Tally>>(field.place), !field.key.empty()) << field.name;
    EXPECT_EQ(field.name.ends_with("_bytes") || field.name.starts_with("bytes_"), field.unit == Unit::kBytes)
        << field.name;
    EXPECT_EQ(field.name.ends_with("_s"), field.unit == Unit::kSeconds) << field.name;
  }
  EXPECT_EQ(groups, (std::vector<std::string_view>{"", "connections", "tasks", "memory", "parking_events",
                                                   "requests"}));
}

}  // namespace
}  // namespace h2park::stats
