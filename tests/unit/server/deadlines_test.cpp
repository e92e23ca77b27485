#include "server/deadlines.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace h2park::server {
namespace {

using std::chrono::seconds;

Connection& nobody() {
  static char place[64];
  return *reinterpret_cast<Connection*>(place);
}

struct DeadlinesTest : testing::Test {
  std::uint32_t open() { return tickets.take(nobody()).index; }
  std::vector<std::uint32_t> fire(int second) {
    std::vector<std::uint32_t> due;
    deadlines.fire(at(second), [&](std::uint32_t index) { due.push_back(index); });
    return due;
  }
  static TimePoint at(int second) { return TimePoint{} + seconds(second); }

  Tickets tickets{10'000};
  Deadlines deadlines{tickets};
};

TEST_F(DeadlinesTest, FireInOrderAndOnce) {
  const auto a = open(), b = open(), c = open();
  deadlines.set(b, at(20));
  deadlines.set(a, at(10));
  deadlines.set(c, at(30));
  EXPECT_EQ(deadlines.next(), at(10));
  EXPECT_TRUE(fire(9).empty());
  EXPECT_EQ(fire(25), (std::vector{a, b}));
  EXPECT_TRUE(fire(29).empty());
  EXPECT_EQ(fire(30), std::vector{c});
  EXPECT_EQ(deadlines.next(), kNever);
}

TEST_F(DeadlinesTest, ADeadlineThatMovedLaterDoesNotFireAtItsOldTime) {
  const auto a = open();
  deadlines.set(a, at(10));
  deadlines.set(a, at(50));
  EXPECT_TRUE(fire(10).empty());
  EXPECT_EQ(deadlines.next(), at(50));
  EXPECT_EQ(fire(50), std::vector{a});
}

TEST_F(DeadlinesTest, ADeadlineThatMovedEarlierFiresThen) {
  const auto a = open(), b = open();
  deadlines.set(b, at(30));
  deadlines.set(a, at(50));
  deadlines.set(a, at(5));
  EXPECT_EQ(deadlines.next(), at(5));
  EXPECT_EQ(fire(5), std::vector{a});
}

TEST_F(DeadlinesTest, NeverTakesADeadlineAway) {
  const auto a = open();
  deadlines.set(a, at(10));
  deadlines.set(a, kNever);
  EXPECT_TRUE(fire(100).empty());
  EXPECT_EQ(deadlines.size(), 0U);
}

TEST_F(DeadlinesTest, MovingADeadlineBackAndForthKeepsOneEntry) {
  const auto a = open();
  for (int i = 0; i < 1000; ++i) {
    deadlines.set(a, at(i + 1));
    deadlines.set(a, at(10'000));
    fire(i + 1);
  }
  EXPECT_EQ(deadlines.size(), 1U);
}

TEST_F(DeadlinesTest, ATimeBetweenMillisecondsIsRoundedUp) {
  const auto a = open();
  deadlines.set(a, at(10) + std::chrono::nanoseconds(1));
  EXPECT_TRUE(fire(10).empty());
  EXPECT_EQ(deadlines.next(), at(10) + std::chrono::milliseconds(1));
}

TEST_F(DeadlinesTest, ADeadlineInThePastFiresAtOnce) {
  fire(100);
  const auto a = open();
  deadlines.set(a, at(3));
  EXPECT_EQ(fire(100), std::vector{a});
}

TEST_F(DeadlinesTest, FireAfterMonthsInOrderAsOnTheFirstDay) {
  // Milliseconds in 32 bits begin anew after 49 days.
  const auto a = open(), b = open();
  for (int day = 1; day < 120; ++day) {
    const int now = day * 24 * 3600;
    EXPECT_TRUE(fire(now).empty()) << "day " << day;
    deadlines.set(b, at(now + 7200));
    deadlines.set(a, at(now + 3600));
    ASSERT_EQ(deadlines.next(), at(now + 3600)) << "day " << day;
    EXPECT_TRUE(fire(now + 3599).empty()) << "day " << day;
    EXPECT_EQ(fire(now + 7200), (std::vector{a, b})) << "day " << day;
  }
}

TEST_F(DeadlinesTest, OneThatIsTooFarAwayFiresAtTheLatestTimeThatCanBeTold) {
  const auto a = open();
  deadlines.set(a, TimePoint{} + std::chrono::days(1000));
  const auto days = std::chrono::duration_cast<seconds>(ShortTimes::kMost).count();
  EXPECT_TRUE(fire(static_cast<int>(days) - 1).empty());
  EXPECT_EQ(fire(static_cast<int>(days)), std::vector{a}) << "its connection then sets it again";
}

TEST_F(DeadlinesTest, ACrowdFiresInSmallGroupsAndNobodyIsForgotten) {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(open());
    deadlines.set(all.back(), at(10));
  }
  std::size_t fired = 0;
  for (int call = 0; call < 4; ++call) {
    EXPECT_LE(deadlines.next(), at(10));
    const std::size_t now = fire(10).size();
    EXPECT_LE(now, 32U) << "others have their turn between";
    fired += now;
  }
  EXPECT_EQ(fired, all.size());
  EXPECT_EQ(deadlines.next(), kNever);
}

TEST_F(DeadlinesTest, AgreeWithAPlainListUnderRandomChanges) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> indices;
  for (int i = 0; i < 200; ++i) indices.push_back(open());
  std::map<std::uint32_t, int> expected;
  for (int now = 0; now < 3000; ++now) {
    for (int change = 0; change < 5; ++change) {
      const auto index = indices[random() % indices.size()];
      if (random() % 8 == 0) {
        deadlines.remove(index);
        deadlines.set(index, kNever);
        expected.erase(index);
      } else {
        const int due = now + 1 + static_cast<int>(random() % 50);
        deadlines.set(index, at(due));
        expected[index] = due;
      }
    }
    for (const auto index : fire(now)) {
      ASSERT_EQ(expected.count(index), 1U) << "fired without a deadline";
      ASSERT_LE(expected[index], now) << "fired early";
      expected.erase(index);
    }
    for (const auto& [index, due] : expected) ASSERT_GT(due, now) << index << " was missed";
  }
}

}  // namespace
}  // namespace h2park::server
