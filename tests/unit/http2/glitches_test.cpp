#include "http2/glitches.hpp"

#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using namespace std::chrono_literals;

class GlitchesTest : public testing::Test {
 protected:
  int add_until_spent(Glitch what, int most = 1'000'000) {
    int count = 0;
    while (!glitches.spent(time.now()) && count < most) {
      glitches.add(what, time.now());
      ++count;
    }
    return count;
  }

  ManualTime time;
  Glitches glitches;
};

TEST_F(GlitchesTest, AFreshBudgetIsNotSpent) { EXPECT_FALSE(glitches.spent(time.now())); }

TEST_F(GlitchesTest, ABurstIsSpentByTheFirstPointOverIt) {
  EXPECT_EQ(add_until_spent(Glitch::kPing), Glitches::kBurst / Glitches::points(Glitch::kPing) + 1);
}

TEST_F(GlitchesTest, ResetsCostMoreThanPings) {
  EXPECT_EQ(add_until_spent(Glitch::kPeerReset), Glitches::kBurst / 2 + 1);
}

TEST_F(GlitchesTest, TimeDrainsTheBucket) {
  add_until_spent(Glitch::kPing);
  time.advance(1s);
  EXPECT_FALSE(glitches.spent(time.now()));
  EXPECT_EQ(add_until_spent(Glitch::kPing), Glitches::kPointsPerSecond);
}

TEST_F(GlitchesTest, ASteadyTrickleNeverSpendsIt) {
  for (int second = 0; second < 10'000; ++second) {
    for (int i = 0; i < Glitches::kPointsPerSecond; ++i) glitches.add(Glitch::kPing, time.now());
    ASSERT_FALSE(glitches.spent(time.now()));
    time.advance(1s);
  }
}

TEST_F(GlitchesTest, QuietHoursEarnNoCreditBeyondTheBurst) {
  time.advance(24h);
  EXPECT_EQ(add_until_spent(Glitch::kPing), Glitches::kBurst + 1);
}

TEST_F(GlitchesTest, FinishedExchangesPayForCancelledOnes) {
  for (int i = 0; i < 100'000; ++i) {
    glitches.add(Glitch::kPeerReset, time.now());
    glitches.forgive();
    glitches.forgive();
  }
  EXPECT_FALSE(glitches.spent(time.now()));
}

TEST_F(GlitchesTest, FinishedExchangesEarnNoCreditInAdvance) {
  for (int i = 0; i < 100'000; ++i) glitches.forgive();
  EXPECT_EQ(add_until_spent(Glitch::kPing), Glitches::kBurst + 1);
}

}  // namespace
}  // namespace h2park::http2
