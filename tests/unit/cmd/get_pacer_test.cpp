#include "cmd/get_pacer.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart = TimePoint{} + 1h;

TEST(Pacer, GivesEachRequestOnce) {
  const GetPace pace{.requests = 3};
  Pacer pacer(pace, kStart);
  for (std::uint64_t number = 0; number < 3; ++number) {
    const auto slot = pacer.next(kStart + 1s);
    ASSERT_TRUE(slot);
    EXPECT_EQ(slot->number, number);
    EXPECT_EQ(slot->due, kStart + 1s);
  }
  EXPECT_FALSE(pacer.next(kStart + 1s));
}

TEST(Pacer, KeepsToItsScheduleHoweverLateItIsAsked) {
  const GetPace pace{.requests = 100, .interval = 10ms};
  Pacer pacer(pace, kStart);
  EXPECT_EQ(pacer.next(kStart)->due, kStart);
  EXPECT_EQ(pacer.next(kStart)->due, kStart + 10ms);
  EXPECT_EQ(pacer.next(kStart + 1s)->due, kStart + 20ms);
}

TEST(Pacer, EndsWithTheDuration) {
  const GetPace pace{.requests = 100, .duration = 25ms, .interval = 10ms};
  Pacer pacer(pace, kStart);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pacer.next(kStart)) << i;
  EXPECT_FALSE(pacer.next(kStart)) << "due after 30 ms";
  const GetPace unpaced{.requests = 100, .duration = 25ms};
  Pacer other(unpaced, kStart);
  EXPECT_TRUE(other.next(kStart + 24ms));
  EXPECT_FALSE(other.next(kStart + 25ms));
}

TEST(Pacer, ThinksNoLongerThanTheRunTakes) {
  const GetPace pace{.requests = 100, .duration = 1s, .think = 1h};
  EXPECT_EQ(Pacer(pace, kStart).after_think(kStart), kStart + 1s);
  EXPECT_EQ(Pacer(pace, kStart).after_think(kStart + 2s), kStart + 2s);
}

}  // namespace
}  // namespace h2park::cmd
