#include "server/freeze_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kEpoch{1h};

std::vector<std::uint32_t> take_all(FreezeSchedule& schedule, TimePoint now) {
  std::vector<std::uint32_t> all;
  while (const auto index = schedule.take(now)) all.push_back(*index);
  std::ranges::sort(all);
  return all;
}

TEST(FreezeSchedule, GivesEachOneWhenItsTickHasCome) {
  FreezeSchedule schedule(1s, kEpoch);
  ASSERT_EQ(schedule.tick(), 50ms);
  EXPECT_EQ(schedule.next(), kNever);
  schedule.add(7, kEpoch + 1s, kEpoch);
  EXPECT_EQ(schedule.next(), kEpoch + 1s);
  EXPECT_FALSE(schedule.take(kEpoch + 999ms));
  EXPECT_EQ(schedule.take(kEpoch + 1s), 7U);
  EXPECT_EQ(schedule.next(), kNever);
}

TEST(FreezeSchedule, GathersThoseOfOneTick) {
  FreezeSchedule schedule(1s, kEpoch);
  for (std::uint32_t i = 0; i < 50; ++i) schedule.add(i, kEpoch + 1001ms + i * 1ms, kEpoch);
  EXPECT_EQ(schedule.next(), kEpoch + 1050ms);
  EXPECT_EQ(take_all(schedule, kEpoch + 1049ms).size(), 0U) << "none is early";
  EXPECT_EQ(take_all(schedule, kEpoch + 1050ms).size(), 50U) << "none is later than a tick";
}

TEST(FreezeSchedule, HasOneNowWhileSomeOfATickAreLeft) {
  FreezeSchedule schedule(1s, kEpoch);
  schedule.add(1, kEpoch + 1s, kEpoch);
  schedule.add(2, kEpoch + 1s, kEpoch);
  ASSERT_TRUE(schedule.take(kEpoch + 1s));
  EXPECT_LE(schedule.next(), kEpoch + 1s);
  ASSERT_TRUE(schedule.take(kEpoch + 1s));
  EXPECT_EQ(schedule.next(), kNever);
}

TEST(FreezeSchedule, WithoutADelayEachIsDueAtOnce) {
  FreezeSchedule schedule(Duration::zero(), kEpoch);
  schedule.add(1, kEpoch, kEpoch);
  EXPECT_EQ(schedule.take(kEpoch), 1U);
  schedule.add(2, kEpoch + 5ms, kEpoch + 5ms);
  EXPECT_EQ(schedule.take(kEpoch + 5ms), 2U);
  schedule.add(3, kEpoch + 5ms, kEpoch + 5ms);
  EXPECT_EQ(schedule.take(kEpoch + 5ms), 3U) << "in a tick that has come already";
}

TEST(FreezeSchedule, OneBeyondTheHorizonComesThere) {
  FreezeSchedule schedule(1s, kEpoch);
  schedule.add(1, kEpoch + 1min, kEpoch);
  EXPECT_EQ(schedule.next(), kEpoch + schedule.horizon());
  EXPECT_EQ(schedule.take(kEpoch + schedule.horizon()), 1U);
}

TEST(FreezeSchedule, LosesNoneOverALongSleep) {
  FreezeSchedule schedule(1s, kEpoch);
  for (std::uint32_t i = 0; i < 60; ++i) schedule.add(i, kEpoch + i * 50ms, kEpoch);
  EXPECT_EQ(take_all(schedule, kEpoch + 24h).size(), 60U);
  schedule.add(1, kEpoch + 24h + 1s, kEpoch + 24h);
  EXPECT_EQ(schedule.next(), kEpoch + 24h + 1s);
}

TEST(FreezeSchedule, TheFirstOneAfterALongQuietComesInItsTimeAndNotBefore) {
  FreezeSchedule schedule(20ms, kEpoch);
  for (const Duration quiet : {Duration(1h), Duration(7 * 24h), Duration(365 * 24h)}) {
    const TimePoint now = kEpoch + quiet;
    schedule.add(1, now + 20ms, now);
    EXPECT_EQ(schedule.next(), now + 20ms) << "nobody looks at it a thousand times before";
    EXPECT_FALSE(schedule.take(now));
    EXPECT_EQ(schedule.take(now + 20ms), 1U);
  }
}

TEST(FreezeSchedule, AgreesWithAPlainListUnderRandomChanges) {
  FreezeSchedule schedule(1s, kEpoch);
  std::mt19937 random(11);
  std::map<std::uint32_t, TimePoint> expected;  // rounded up to ticks
  TimePoint now = kEpoch;
  std::uint32_t next = 0;
  for (int step = 0; step < 5000; ++step) {
    for (unsigned added = random() % 4; added > 0; --added) {
      const auto ticks = 1 + random() % 62;
      const TimePoint floor = now - (now - kEpoch) % schedule.tick();
      expected[next] = floor + ticks * schedule.tick();
      schedule.add(next, expected[next] - std::chrono::milliseconds(random() % 50), now);
      ++next;
    }
    TimePoint earliest = kNever;
    for (const auto& [index, due] : expected) earliest = std::min(earliest, due);
    ASSERT_EQ(schedule.next(), earliest);
    now += std::chrono::milliseconds(random() % 200);
    std::vector<std::uint32_t> due;
    for (const auto& [index, when] : expected) {
      if (when <= now) due.push_back(index);
    }
    for (const std::uint32_t index : due) expected.erase(index);
    ASSERT_EQ(take_all(schedule, now), due);
  }
}

}  // namespace
}  // namespace h2park::server
