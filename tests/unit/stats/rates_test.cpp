#include "stats/rates.hpp"

#include <gtest/gtest.h>

namespace h2park::stats {
namespace {

Snapshot at(double uptime, std::uint64_t requests, std::uint64_t pid = 7) {
  Snapshot s;
  s.server = {.pid = pid, .uptime_s = uptime};
  s.requests.total = requests;
  s.connections.open = 10;
  s.parking_events.wakes_by = {{{"timer", requests / 2}}};
  return s;
}

TEST(Rates, AreACountersIncreaseByTheServersOwnTime) {
  const Reading before = to_reading(at(10, 100));
  Reading now = to_reading(at(12.5, 200));
  add_rates(now, &before);
  EXPECT_EQ(now.number("requests.total/s"), 40.0);
  EXPECT_EQ(now.number("parking_events.wakes_by.timer/s"), 20.0);
  EXPECT_EQ(now.number("requests.total"), 200.0);
  EXPECT_EQ(now.find("connections.open/s"), nullptr);
}

TEST(Rates, AreTakenFromReadingsThatHaveRatesThemselves) {
  Reading first = to_reading(at(1, 0));
  add_rates(first, nullptr);
  Reading second = to_reading(at(2, 10));
  add_rates(second, &first);
  Reading third = to_reading(at(3, 30));
  add_rates(third, &second);
  EXPECT_EQ(third.number("requests.total/s"), 20.0);
}

TEST(Rates, AreNullInTheFirstReadingAndAfterARestart) {
  Reading first = to_reading(at(10, 100));
  add_rates(first, nullptr);
  ASSERT_NE(first.find("requests.total/s"), nullptr);
  EXPECT_EQ(first.number("requests.total/s"), std::nullopt);
  Reading other = to_reading(at(11, 200, 8));
  add_rates(other, &first);
  EXPECT_EQ(other.number("requests.total/s"), std::nullopt);
}

TEST(Rates, AreNullWhereNoTimeHasPassed) {
  const Reading before = to_reading(at(10, 100));
  Reading now = to_reading(at(10, 100));
  add_rates(now, &before);
  EXPECT_EQ(now.number("requests.total/s"), std::nullopt);
}

TEST(Rates, AreRoundedToAThousandth) {
  const Reading before = to_reading(at(0, 0));
  Reading now = to_reading(at(3, 1));
  add_rates(now, &before);
  EXPECT_EQ(now.number("requests.total/s"), 0.333);
}

TEST(Restart, IsAnotherPidAShorterUptimeOrACounterThatWentDown) {
  const Reading before = to_reading(at(10, 100));
  EXPECT_FALSE(restarted(before, to_reading(at(10, 100))));
  EXPECT_FALSE(restarted(before, to_reading(at(11, 101))));
  EXPECT_TRUE(restarted(before, to_reading(at(11, 101, 8))));
  EXPECT_TRUE(restarted(before, to_reading(at(9, 101))));
  EXPECT_TRUE(restarted(before, to_reading(at(11, 99))));
  EXPECT_EQ(seconds_between(before, to_reading(at(11, 99))), std::nullopt);
  EXPECT_EQ(seconds_between(before, to_reading(at(11, 101))), 1.0);
}

TEST(Restart, IsNotReadFromFiguresThatAreMissing) {
  EXPECT_FALSE(restarted(Reading{}, to_reading(at(10, 100))));
  EXPECT_FALSE(restarted(to_reading(at(10, 100)), Reading{}));
  EXPECT_EQ(seconds_between(Reading{}, to_reading(at(10, 100))), std::nullopt);
}

}  // namespace
}  // namespace h2park::stats
