#include "cmd/stat_until.hpp"

#include "stat_rig.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

Condition condition(std::string_view text) { return Condition::parse(text, stats::server_fields()).value(); }

TEST(StatUntil, AsksUntilItHoldsAndReturnsThatReading) {
  ScriptedSource source(
      {sample_of(server_at(1, 10, 0)), sample_of(server_at(2, 20, 0)), sample_of(server_at(3, 30, 0))});
  ManualPace pace;
  const auto sample = wait_until(source, condition("connections.open >= 20"), {.timeout = 10s}, pace);
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(sample->reading.number("connections.open"), 20.0);
  EXPECT_EQ(source.reads, 2U);
  EXPECT_EQ(pace.slept, std::vector<Duration>{100ms});
}

TEST(StatUntil, AsksAtItsIntervalWhateverAnAnswerTakes) {
  ScriptedSource source({sample_of(server_at(1, 1, 0))});
  ManualPace pace;
  source.on_read = [&] { pace.advance(30ms); };
  (void)wait_until(source, condition("connections.open == 7"), {.interval = 200ms, .timeout = 700ms}, pace);
  EXPECT_EQ(pace.slept, (std::vector<Duration>{170ms, 170ms, 170ms, 70ms}));
}

TEST(StatUntil, LooksOnceMoreAtTheDeadlineAndThenTellsTheLastValues) {
  ScriptedSource source({sample_of(server_at(1, 1, 0)), sample_of(server_at(1, 2, 0))});
  ManualPace pace;
  const auto sample = wait_until(source, condition("connections.open > 5"), {.timeout = 150ms}, pace);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, "stat: not within 150ms: connections.open > 5 (connections.open 2)");
  EXPECT_EQ(sample.error().exit, Error::Exit::kFailure);
  EXPECT_EQ(source.reads, 3U);
}

TEST(StatUntil, LooksOnceWithATimeoutOfZero) {
  ScriptedSource source({sample_of(server_at(1, 9, 0))});
  ManualPace pace;
  EXPECT_TRUE(wait_until(source, condition("connections.open > 5"), {.timeout = 0s}, pace));
  EXPECT_FALSE(wait_until(source, condition("connections.open > 9"), {.timeout = 0s}, pace));
  EXPECT_TRUE(pace.slept.empty());
}

TEST(StatUntil, WaitsForAServerThatIsNotThereYet) {
  ScriptedSource source({fail("cannot read stats: refused"), sample_of(server_at(1, 9, 0))});
  ManualPace pace;
  EXPECT_TRUE(wait_until(source, condition("connections.open > 5"), {}, pace));
  ScriptedSource nobody({fail("cannot read stats: refused")});
  const auto sample = wait_until(nobody, condition("connections.open > 5"), {.timeout = 1s}, pace);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, "stat: not within 1s: connections.open > 5 (cannot read stats: refused)");
}

TEST(StatUntil, LetsNoAnswerTakeLongerThanWhatIsLeft) {
  ScriptedSource source({sample_of(server_at(1, 9, 0))});
  ManualPace pace;
  (void)wait_until(source, condition("connections.open == 0"), {.interval = 400ms, .timeout = 800ms}, pace);
  EXPECT_EQ(source.last_timeout, 100ms);
  (void)wait_until(source, condition("connections.open > 0"), {}, pace);
  EXPECT_EQ(source.last_timeout, 5s);
}

TEST(StatUntil, EndsAtOnceWhereNothingWillCome) {
  ScriptedSource gone({fail("process 7: No such process")}, false);
  ManualPace pace;
  const auto sample = wait_until(gone, condition("connections.open > 5"), {.timeout = 1h}, pace);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, "process 7: No such process");
  EXPECT_EQ(gone.reads, 1U);
}

TEST(StatUntil, RefusesAKeyThatTheServerDoesNotHave) {
  ScriptedSource source({sample_of(server_at(1, 9, 0))});
  ManualPace pace;
  const auto sample = wait_until(source, condition("connections.closed.nobody == 0"), {}, pace);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().exit, Error::Exit::kUsage);
  EXPECT_TRUE(sample.error().message.starts_with("stat: --until: unknown field")) << sample.error().message;
}

TEST(StatUntil, ComparesRatesFromTheSecondReadingOn) {
  ScriptedSource source({sample_of(server_at(1, 1, 100)), sample_of(server_at(2, 1, 150))});
  ManualPace pace;
  const auto sample = wait_until(source, condition("requests.total/s >= 50"), {.timeout = 1s}, pace);
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(source.reads, 2U);
}

}  // namespace
}  // namespace h2park::cmd
