#include "cmd/stat_ticks.hpp"

#include "stat_rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

struct Printed {
  Result<> done;
  std::string text;
  std::vector<std::string> complaints;

  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      out.push_back(text.substr(at, text.find('\n', at) - at));
    }
    return out;
  }
};

StatSettings settings_of(std::uint64_t count, const std::vector<const char*>& fields = {},
                         StatFormat format = StatFormat::kText) {
  StatSettings settings;
  settings.watch = 1s;
  settings.count = count;
  settings.format = format;
  for (const char* name : fields)
    settings.fields.push_back(stats::parse_field(name, stats::server_fields()).value());
  return settings;
}

Printed print(ScriptedSource& source, const StatSettings& settings) {
  ManualPace pace;
  Printed printed;
  printed.done = print_ticks(
      source, settings, pace,
      [&](std::string_view text) -> Result<> {
        printed.text += text;
        return {};
      },
      [&](const std::string& complaint) { printed.complaints.push_back(complaint); });
  return printed;
}

TEST(StatTicks, PrintAHeaderAndThenALinePerTickInItsColumns) {
  ScriptedSource source({sample_of(server_at(1, 10, 100)), sample_of(server_at(2, 12345678, 150))});
  const Printed printed =
      print(source, settings_of(2, {"time", "connections.open", "requests.total/s", "memory.slot_bytes"}));
  EXPECT_TRUE(printed.done);
  EXPECT_EQ("\n" + printed.text, R"(
time                      connections.open  requests.total/s  memory.slot_bytes
2027-01-15T08:00:00.000Z                10                 -                  -
2027-01-15T08:00:01.000Z          12345678                50                  -
)");
}

TEST(StatTicks, HaveStableDefaultColumns) {
  ScriptedSource source({sample_of(server_at(1, 10, 100))});
  const Printed printed = print(source, settings_of(1));
  std::string words = printed.lines().front();
  words.erase(std::unique(words.begin(), words.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
              words.end());
  EXPECT_EQ(
      words,
      "time connections.open connections.active connections.parked connections.frozen tasks.live "
      "memory.rss_bytes memory.bytes_per_parked_connection parking_events.parks/s parking_events.wakes/s "
      "requests.total/s");
}

TEST(StatTicks, KeepTheColumnsOfTheFirstReading) {
  stats::Snapshot more = server_at(2, 1, 0);
  more.connections.closed = {{{"new", 7}, {"client", 5}}};
  ScriptedSource source({sample_of(server_at(1, 1, 0)), sample_of(more)});
  const Printed printed = print(source, settings_of(2, {"connections.closed"}));
  EXPECT_EQ("\n" + printed.text, R"(
connections.closed.client  connections.closed.idle
                        0                        0
                        5                        -
)");
}

TEST(StatTicks, LetALineStandWithoutFiguresWhileTheServerIsAway) {
  ScriptedSource source({sample_of(server_at(5, 1, 10)), fail("refused"), fail("refused"),
                         sample_of(server_at(1, 1, 3, 43)), sample_of(server_at(2, 1, 5, 43))});
  const Printed printed = print(source, settings_of(5, {"connections.open", "requests.total/s"}));
  EXPECT_TRUE(printed.done);
  EXPECT_EQ("\n" + printed.text, R"(
connections.open  requests.total/s
               1                 -
               -                 -
               -                 -
               1                 -
               1                 2
)");
  EXPECT_EQ(printed.complaints,
            (std::vector<std::string>{"refused; trying again", "127.0.0.1:8081 answers again"}));
}

TEST(StatTicks, FailWhereTheFirstOrTheLastReadingDoes) {
  ScriptedSource nobody({fail("refused")});
  EXPECT_FALSE(print(nobody, settings_of(3)).done);
  EXPECT_EQ(nobody.reads, 1U);
  ScriptedSource lost({sample_of(server_at(1, 1, 0)), fail("refused")});
  const Printed printed = print(lost, settings_of(2));
  ASSERT_FALSE(printed.done);
  EXPECT_EQ(printed.done.error().message, "refused");
}

TEST(StatTicks, EndWithAProcessThatHasEnded) {
  ScriptedSource gone({sample_of(server_at(1, 1, 0)), fail("process 7: No such process")}, false);
  const Printed printed = print(gone, settings_of(100));
  ASSERT_FALSE(printed.done);
  EXPECT_EQ(printed.done.error().message, "process 7: No such process");
  EXPECT_EQ(gone.reads, 2U);
}

TEST(StatTicks, PrintALineOfJsonPerTick) {
  ScriptedSource source({sample_of(server_at(1, 10, 100)), fail("say \"no\"")});
  const Printed whole = print(source, settings_of(2, {}, StatFormat::kJson));
  ASSERT_EQ(whole.lines().size(), 2U);
  EXPECT_EQ(whole.lines()[0] + "\n", stats::to_json(server_at(1, 10, 100)));
  EXPECT_EQ(whole.lines()[1], R"({"error":"say \"no\""})");
  ScriptedSource again({sample_of(server_at(1, 10, 100)), sample_of(server_at(3, 10, 110))});
  const Printed chosen =
      print(again, settings_of(2, {"connections.open", "requests.total/s"}, StatFormat::kJson));
  EXPECT_EQ(chosen.lines()[1], R"({"connections":{"open":10},"requests":{"total/s":5}})");
}

TEST(StatTicks, PutAnEmptyLineBetweenPrometheusTexts) {
  ScriptedSource source({sample_of(server_at(1, 10, 100)), sample_of(server_at(2, 10, 100))});
  const Printed printed = print(source, settings_of(2, {"connections.open"}, StatFormat::kProm));
  const std::string one =
      "# HELP h2park_connections_open Connections now open.\n# TYPE h2park_connections_open gauge\n"
      "h2park_connections_open 10\n\n";
  EXPECT_EQ(printed.text, one + one);
}

TEST(StatTicks, EndWhenNobodyTakesTheirLines) {
  ScriptedSource source({sample_of(server_at(1, 10, 100))});
  ManualPace pace;
  const auto done = print_ticks(
      source, settings_of(5), pace, [](std::string_view) -> Result<> { return fail("full"); },
      [](const std::string&) {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "full");
  EXPECT_EQ(source.reads, 1U);
}

TEST(Ticks, LeaveOutThoseThatWereMissed) {
  const TimePoint start{};
  Ticks ticks(start, 10ms);
  EXPECT_EQ(ticks.after(start), start + 10ms);
  EXPECT_EQ(ticks.after(start + 12ms), start + 20ms);
  EXPECT_EQ(ticks.after(start + 57ms), start + 60ms);
  EXPECT_EQ(ticks.after(start + 60ms), start + 70ms);
}

TEST(FormatSample, PrintsEachFormatInFullAndInPart) {
  Sample sample = *sample_of(server_at(1, 10, 100));
  complete(sample.reading, nullptr, {});
  StatSettings settings = settings_of(1);
  EXPECT_TRUE(format_sample(sample, settings)->starts_with("server\n  version "));
  EXPECT_EQ(format_sample(sample, settings)->find("/s"), std::string::npos);
  settings.fields =
      settings_of(1, {"connections.open", "memory.rss_bytes", "connections.closed", "time"}).fields;
  EXPECT_EQ("\n" + *format_sample(sample, settings), R"(
connections.open                                 10
memory.rss_bytes                           10485760  10.0 MiB
connections.closed.client                         0
connections.closed.idle                           0
time                       1970-01-01T00:00:00.000Z
)");
  settings.fields = settings_of(1, {"connections.closed.x"}).fields;
  const auto unknown = format_sample(sample, settings);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "stat: --fields: unknown field 'connections.closed.x'; closed has client, idle");
}

}  // namespace
}  // namespace h2park::cmd
