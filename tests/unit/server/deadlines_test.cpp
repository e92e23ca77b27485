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
