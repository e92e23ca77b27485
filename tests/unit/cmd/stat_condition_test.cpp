#include "cmd/stat_condition.hpp"

#include "stat_rig.hpp"
#include "stats/process_reading.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

stats::Reading reading() {
  stats::Snapshot s = server_at(90, 5000, 100);
  s.memory.heap_bytes = 64 * 1024;
  s.tasks.live = 8;
  return stats::to_reading(s);
}

bool holds(std::string_view text) {
  const auto condition = Condition::parse(text, stats::server_fields());
  EXPECT_TRUE(condition) << text << ": " << condition.error().message;
  return condition && condition->holds(reading()).value();
}

std::string error_of(std::string_view text) {
  const auto condition = Condition::parse(text, stats::server_fields());
  if (condition) return "";
  EXPECT_EQ(condition.error().exit, Error::Exit::kUsage);
  return condition.error().message;
}

TEST(Condition, ComparesAFieldWithANumberByEveryOperator) {
  for (const char* text :
       {"tasks.live<9", "tasks.live <= 8", "tasks.live>7", "tasks.live >= 8", "tasks.live==8",
        "tasks.live != 7", "9>tasks.live", "7.5 < tasks.live", "tasks.live == 8.0"}) {
    EXPECT_TRUE(holds(text)) << text;
  }
  for (const char* text : {"tasks.live<8", "tasks.live <= 7", "tasks.live>8", "tasks.live >= 9",
                           "tasks.live==9", "tasks.live != 8", "8 > tasks.live", "8.5<tasks.live"}) {
    EXPECT_FALSE(holds(text)) << text;
  }
}

TEST(Condition, ComparesFieldsWithEachOther) {
  EXPECT_TRUE(holds("connections.parked < connections.open"));
  EXPECT_FALSE(holds("connections.parked == connections.open"));
}

TEST(Condition, JoinsConditionsAndLetsAndBindCloserThanOr) {
  EXPECT_TRUE(holds("connections.parked>=4999 && tasks.live<=8"));
  EXPECT_FALSE(holds("connections.parked>=5000 && tasks.live<=8"));
  EXPECT_TRUE(holds("connections.parked>=5000 || tasks.live<=8"));
  EXPECT_TRUE(holds("tasks.live==8 || tasks.live==1 && tasks.live==2"));
  EXPECT_FALSE(holds("(tasks.live==8 || tasks.live==1) && tasks.live==2"));
  EXPECT_TRUE(holds("!tasks.live==1 && !(tasks.live==2)"));
  EXPECT_TRUE(holds("!!(((tasks.live==8)))"));
  EXPECT_FALSE(holds("tasks.live==1 || tasks.live==2 || tasks.live==3"));
}

TEST(Condition, ReadsUnitsWhereTheFieldHasOne) {
  EXPECT_TRUE(holds("memory.heap_bytes == 64KiB"));
  EXPECT_TRUE(holds("memory.heap_bytes < 1MiB && memory.heap_bytes > 1k"));
  EXPECT_TRUE(holds("memory.heap_bytes == 65536"));
  EXPECT_TRUE(holds("uptime_s == 1m30s"));
  EXPECT_TRUE(holds("uptime_s >= 90 && uptime_s < 1h"));
  EXPECT_TRUE(holds("parking == on && parking != off && parking == true"));
  EXPECT_FALSE(holds("parking == off"));
}

TEST(Condition, IsNeverSatisfiedByNull) {
  for (const char* op : {"<", "<=", ">", ">=", "==", "!="}) {
    EXPECT_FALSE(holds("memory.slot_bytes " + std::string(op) + " 0")) << op;
    EXPECT_FALSE(holds("memory.slot_bytes " + std::string(op) + " memory.frame_bytes")) << op;
    EXPECT_TRUE(holds("!(memory.slot_bytes " + std::string(op) + " 0)")) << op;
  }
}

TEST(Condition, PointsAtTheColumnOfWhatIsWrong) {
  EXPECT_EQ(error_of("tasks.live <= "),
            "column 15: the expression ends where a field or a number is expected");
  EXPECT_EQ(error_of(""), "column 1: the expression ends where a field or a number is expected");
  EXPECT_EQ(error_of("tasks.live"),
            "column 11: the expression ends where <, <=, >, >=, == or != is expected");
  EXPECT_EQ(error_of("tasks.live = 3"), "column 12: '=' has no meaning here: equal is ==");
  EXPECT_EQ(error_of("tasks.live==3 & tasks.live==4"),
            "column 15: '&' has no meaning here: there is && and ||");
  EXPECT_EQ(error_of("tasks.live==3 tasks.live==4"), "column 15: 'tasks.live' where && or || is expected");
  EXPECT_EQ(error_of("(tasks.live==3"), "column 15: the expression ends where ')' is expected");
  EXPECT_EQ(error_of("tasks.live==3)"), "column 14: ')' where && or || is expected");
  EXPECT_EQ(error_of("tasks.live && 3"), "column 12: '&&' where <, <=, >, >=, == or != is expected");
  EXPECT_EQ(error_of("tasks.live == 8 && 1 < 2"), "column 20: one side of a comparison has to be a field");
  EXPECT_EQ(error_of("tasks.live == 64KiB"),
            "column 15: '64KiB' is not a number, which this field is, without a unit");
  EXPECT_EQ(error_of("memory.rss_bytes < 5parsec"),
            "column 20: '5parsec' is not a size (try 100, 64KiB, 1MiB)");
  EXPECT_EQ(error_of("uptime_s < 5x"), "column 12: '5x' is not a duration (try 50ms, 30s, 3m)");
  EXPECT_EQ(error_of("parking == 7"), "column 12: '7' is not on or off");
  EXPECT_EQ(error_of("version == 1"), "column 1: 'version' is a text: only numbers are compared");
  EXPECT_EQ(error_of("connections.closed == 1"),
            "column 1: 'connections.closed' has several figures: name one of them");
  EXPECT_TRUE(error_of("1 < tasks.liv").starts_with("column 5: unknown field 'tasks.liv'; tasks has live,"));
}

TEST(Condition, SurvivesWhateverIsWritten) {
  const std::string good = "!(tasks.live <= 8.5) && memory.rss_bytes>1KiB || uptime_s != 1m && on == parking";
  EXPECT_EQ(error_of(good), "");
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    (void)Condition::parse(std::string_view(good).substr(cut), stats::server_fields());
    (void)Condition::parse(std::string_view(good).substr(0, cut), stats::server_fields());
    std::string odd = good;
    odd[cut] = '\x80';
    EXPECT_NE(error_of(odd), "") << cut;
  }
}

TEST(Condition, LimitsHowDeepItIsNested) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "tasks.live==8" + std::string(depth, ')');
  };
  EXPECT_TRUE(holds(nested(99)));
  EXPECT_EQ(error_of(nested(10'000)), "column 101: too many parentheses within each other");
  EXPECT_EQ(error_of(std::string(10'000, '!') + "tasks.live==8"),
            "column 101: too many parentheses within each other");
}

TEST(Condition, TellsTheValuesOfItsFieldsOnceEach) {
  const auto condition = Condition::parse(
      "connections.parked>=5000 && tasks.live<=8 && tasks.live > memory.slot_bytes", stats::server_fields());
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->values_in(reading()), "connections.parked 4999, tasks.live 8, memory.slot_bytes -");
}

TEST(Condition, RefusesAKeyThatTheServerDoesNotHave) {
  const auto condition = Condition::parse("connections.closed.nobody == 0", stats::server_fields());
  ASSERT_TRUE(condition);
  const auto held = condition->holds(reading());
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().message, "unknown field 'connections.closed.nobody'; closed has client, idle");
  EXPECT_EQ(held.error().exit, Error::Exit::kUsage);
}

TEST(Condition, ComparesRatesAsPlainNumbers) {
  const auto condition =
      Condition::parse("process.cpu_s/s < 0.5 && process.cpu_s < 1m", stats::process_fields());
  ASSERT_TRUE(condition) << condition.error().message;
  EXPECT_FALSE(Condition::parse("process.cpu_s/s < 1m", stats::process_fields()));
}

}  // namespace
}  // namespace h2park::cmd
