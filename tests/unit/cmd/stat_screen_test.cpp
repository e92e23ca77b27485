#include "cmd/stat_screen.hpp"

#include "stat_rig.hpp"
#include "stats/process_reading.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

/// The state after some ticks of a server, a second each.
class Watched {
 public:
  Watched() : state("127.0.0.1:8081", 1s) {}

  Watched& answer(const stats::Snapshot& snapshot) { return tick(sample_of(snapshot)); }
  Watched& no_answer() { return tick(fail("cannot read stats from 127.0.0.1:8081: Connection refused")); }
  Watched& tick(Result<Sample> sample) {
    time.advance(1s);
    state.add(std::move(sample), time.now());
    return *this;
  }
  Grid draw(std::size_t rows, std::size_t columns, const Symbols& symbols = unicode_symbols()) const {
    return draw_screen(state, time.now(), {.rows = rows, .columns = columns}, symbols);
  }
  std::string screen(std::size_t rows = 24, std::size_t columns = 80) const {
    return draw(rows, columns).text();
  }

  WatchState state;
  ManualTime time;
};

stats::Snapshot busy(double seconds, std::uint64_t requests) {
  stats::Snapshot s = server_at(seconds, 5000, requests);
  s.connections.active = 60;
  s.connections.parked = 1440;
  s.connections.frozen = 3500;
  s.connections.idle = 4980;
  return s;
}

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

TEST(WatchScreen, FillsATerminalOfTheUsualSize) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 150)).answer(busy(194, 250));
  EXPECT_EQ("\n" + watched.screen(25), R"(
 h2park 1.2.3   127.0.0.1:8081                    pid 42   up 3m 14s   every 1s

 5,000 connections   h1 0   h2 5,000   tls 0   no stream 4,980
 █▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
 █ active 20   ▓ idle 40   ▒ parked 1,440   ░ frozen 3,500

                            now       mean       peak  last 24s
 tasks                        3          3          3                       ███
 memory (RSS)          10.0 MiB   10.0 MiB   10.0 MiB                       ███
 per parked conn.         219 B      219 B      219 B                       ███

 per second                 now       mean       peak  last 24s
 requests                   100         75        100                        ▅█
 parks                      100         75        100                        ▅█
 wakes                      100         75        100                        ▅█
   by readable              100         75        100                        ▅█
   by handler                 -          -          -
   by body                    -          -          -
   by timer                   0          0          0                        ▁▁
   by shutdown                -          -          -
   by write                   -          -          -
 freezes                      0          0          0                        ▁▁
 thaws                        0          0          0                        ▁▁

 q quit   p pause   r reset
)");
}

TEST(WatchScreen, NeverWritesOutsideAndKeepsTheMostImportantLines) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 150));
  for (std::size_t rows = 1; rows < 45; rows += 1 + rows / 8) {
    for (std::size_t columns = 1; columns < 130; columns += 1 + columns / 8) {
      const Grid grid = watched.draw(rows, columns);
      ASSERT_EQ(grid.size(), (Size{rows, columns}));
      if (rows >= 2 && columns >= 20) {
        ASSERT_TRUE(has(grid.text(), "█▓▒")) << rows << "x" << columns << "\n" << grid.text();
        ASSERT_TRUE(has(grid.text(), "active 20")) << rows << "x" << columns << "\n" << grid.text();
      }
    }
  }
}

TEST(WatchScreen, LeavesOutWholeColumnsOnANarrowTerminal) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 150));
  const std::string middle = watched.screen(24, 60);
  EXPECT_TRUE(has(middle, "last "));
  EXPECT_FALSE(has(middle, "peak"));
  const std::string narrow = watched.screen(24, 34);
  EXPECT_FALSE(has(narrow, "last "));
  EXPECT_TRUE(has(narrow, "memory (RSS)          10.0 MiB\n")) << narrow;
}

TEST(WatchScreen, PutsTheKeysIntoTheLastRow) {
  Watched watched;
  watched.answer(busy(192, 100));
  for (const std::size_t rows : {12U, 24U, 27U, 40U}) {
    const Grid grid = watched.draw(rows, 80);
    EXPECT_EQ(grid.line(rows - 1), " q quit   p pause   r reset") << grid.text();
  }
}

TEST(WatchScreen, MakesAGraphOfWhatRowsAreLeft) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 150)).answer(busy(194, 250));
  EXPECT_FALSE(has(watched.screen(26), "requests per second"));
  EXPECT_TRUE(has(watched.screen(30), "requests per second"));
  EXPECT_TRUE(has(watched.screen(40), "up to 100"));
}

TEST(WatchScreen, SaysThatTheServerIsAwayAndDimsItsFigures) {
  Watched watched;
  watched.answer(busy(192, 100)).no_answer().no_answer().no_answer();
  const Grid grid = watched.draw(24, 110);
  EXPECT_EQ(grid.line(1),
            " no answer for 2s, trying again: cannot read stats from 127.0.0.1:8081: Connection refused");
  EXPECT_EQ(grid.at(1, 1).tone, Tone::kAlert);
  EXPECT_TRUE(has(grid.text(), "5,000 connections"));
  for (std::size_t column = 0; column < 110; ++column) EXPECT_EQ(grid.at(3, column).tone, Tone::kDim);
}

TEST(WatchScreen, ShowsTheAlertEvenWhereThereIsHardlyAnyRoom) {
  Watched watched;
  watched.answer(busy(192, 100)).no_answer();
  EXPECT_TRUE(has(watched.screen(1, 40), "no answer for 0s, trying again"));
}

TEST(WatchScreen, SaysForAWhileThatTheServerWasRestarted) {
  Watched watched;
  watched.answer(busy(192, 100)).no_answer();
  stats::Snapshot anew = server_at(1, 3, 2, 99);
  watched.answer(anew);
  EXPECT_TRUE(has(watched.screen(), "the server was restarted 0s ago"));
  anew.server.uptime_s = 2;
  watched.answer(anew);
  EXPECT_TRUE(has(watched.screen(), "the server was restarted 1s ago"));
  watched.time.advance(10s);
  EXPECT_FALSE(has(watched.screen(), "restarted"));
}

TEST(WatchScreen, DoesNotCallAPauseOfTheServerARestart) {
  Watched watched;
  watched.answer(busy(192, 100)).no_answer().answer(busy(194, 120)).answer(busy(195, 130));
  EXPECT_FALSE(has(watched.screen(), "restarted"));
  EXPECT_FALSE(has(watched.screen(), "cannot"));
}

TEST(WatchScreen, MakesNoRateOfTheTimeWithoutAnswers) {
  Watched watched;
  watched.answer(busy(192, 100)).no_answer().answer(busy(194, 5000));
  EXPECT_EQ(watched.state.shown().series("requests.total/s").peak(), std::nullopt);
  watched.answer(busy(195, 5010));
  EXPECT_EQ(watched.state.shown().series("requests.total/s").peak(), 10.0);
}

TEST(WatchScreen, HoldsStillWhilePausedAndMissesNothing) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 110));
  watched.state.toggle_pause();
  watched.answer(busy(194, 210));
  const std::string paused = watched.screen();
  EXPECT_TRUE(has(paused, "paused; p goes on"));
  EXPECT_TRUE(has(paused, "p go on"));
  EXPECT_TRUE(has(paused, "up 3m 13s"));
  EXPECT_TRUE(has(paused, " requests                    10 ")) << paused;
  watched.state.toggle_pause();
  const std::string live = watched.screen();
  EXPECT_TRUE(has(live, "up 3m 14s"));
  EXPECT_TRUE(has(live, " requests                   100         55        100 ")) << live;
}

TEST(WatchScreen, BeginsAgainAfterAReset) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 1100)).answer(busy(194, 1110));
  EXPECT_TRUE(has(watched.screen(), " requests                    10        505      1,000 "))
      << watched.screen();
  watched.state.reset();
  EXPECT_TRUE(has(watched.screen(), " requests                    10          -          -\n"))
      << watched.screen();
  watched.answer(busy(195, 1140));
  EXPECT_TRUE(has(watched.screen(), " requests                    30         30         30 "))
      << watched.screen();
}

TEST(WatchScreen, CountsEveryConnectionOnceInTheBar) {
  Watched parking_off;
  stats::Snapshot s = server_at(5, 100, 1);
  s.connections.active = 100;
  s.connections.idle = 75;
  s.connections.parked = 0;
  parking_off.answer(s);
  EXPECT_TRUE(has(parking_off.screen(), "active 25   ▓ idle 75   ▒ parked 0   ░ frozen 0"));
  // Streams that sleep: fewer are idle than are parked.
  Watched events;
  s.connections.active = 2;
  s.connections.idle = 1;
  s.connections.parked = 98;
  events.answer(s);
  EXPECT_TRUE(has(events.screen(), "active 2   ▓ idle 0   ▒ parked 98   ░ frozen 0"));
}

TEST(WatchScreen, DrawsWithAsciiWhereNothingElseCanBeShown) {
  Watched watched;
  watched.answer(busy(192, 100)).answer(busy(193, 150));
  const std::string text = watched.draw(40, 100, ascii_symbols()).text();
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << text;
  EXPECT_TRUE(has(text, "# active 20   = idle 40   - parked 1,440   . frozen 3,500"));
}

TEST(WatchScreen, CoversTheLastMinutesOnceTheyHavePassed) {
  Watched watched;
  for (int i = 0; i < 24; ++i) watched.answer(busy(192 + i, 100));
  EXPECT_TRUE(has(watched.screen(), "last 24s"));
  watched.answer(busy(300, 100));
  EXPECT_TRUE(has(watched.screen(), "last 48s"));
  for (int i = 0; i < 400; ++i) watched.answer(busy(301 + i, 100));
  EXPECT_TRUE(has(watched.screen(), "last 3m")) << watched.screen();
}

TEST(WatchScreen, ShowsAProcessToo) {
  WatchState state("process 42", 1s);
  const stats::KnownFields& known = stats::process_fields();
  stats::Reading reading;
  for (const stats::FieldInfo* field : known) {
    if (field == &stats::time_field()) continue;
    stats::Value value = std::uint64_t{42};
    if (field->unit == stats::Unit::kText) value = std::string("nginx");
    if (field->unit == stats::Unit::kSeconds) value = 7.0;
    reading.entries.push_back({.field = field, .value = value});
  }
  state.add(Sample{.reading = reading, .json = ""}, TimePoint{});
  const std::string text =
      draw_screen(state, TimePoint{}, {.rows = 24, .columns = 80}, unicode_symbols()).text();
  EXPECT_TRUE(has(text, " nginx   process 42")) << text;
  EXPECT_TRUE(has(text, " memory (PSS)              42 B")) << text;
  EXPECT_FALSE(has(text, "parked"));
}

}  // namespace
}  // namespace h2park::cmd
