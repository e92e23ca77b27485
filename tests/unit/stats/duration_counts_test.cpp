#include "stats/duration_counts.hpp"

#include <gtest/gtest.h>

namespace h2park::stats {
namespace {

using namespace std::chrono_literals;

/// The bucket that a single value is counted in.
std::size_t bucket_of(Duration value) {
  DurationCounts counts;
  counts.add(value);
  std::size_t found = kDurationBuckets;
  for (std::size_t i = 0; i < kDurationBuckets; ++i) {
    if (counts.count(i) == 0) continue;
    EXPECT_EQ(counts.count(i), 1U);
    EXPECT_EQ(found, kDurationBuckets) << "counted twice";
    found = i;
  }
  return found;
}

TEST(DurationCounts, CutEachPowerOfTenAtOneTwoAndAHalfAndFive) {
  const std::vector<Duration> first(kDurationBounds.begin(), kDurationBounds.begin() + 7);
  EXPECT_EQ(first, (std::vector<Duration>{1us, 2500ns, 5us, 10us, 25us, 50us, 100us}));
  EXPECT_EQ(kDurationBounds[kDurationBounds.size() - 2], 50s);
  EXPECT_EQ(kDurationBounds.back(), 100s);
}

TEST(DurationCounts, CountABoundInItsOwnBucketAndOneMoreInTheNext) {
  for (std::size_t i = 0; i < kDurationBounds.size(); ++i) {
    EXPECT_EQ(bucket_of(kDurationBounds[i]), i);
    EXPECT_EQ(bucket_of(kDurationBounds[i] - 1ns), i);
    EXPECT_EQ(bucket_of(kDurationBounds[i] + 1ns), i + 1);
  }
}

TEST(DurationCounts, FindTheBucketOfEveryPowerOfTwo) {
  for (int power = 0; power < 63; ++power) {
    const Duration value(std::int64_t{1} << power);
    const auto expected = std::ranges::lower_bound(kDurationBounds, value) - kDurationBounds.begin();
    EXPECT_EQ(bucket_of(value), static_cast<std::size_t>(expected)) << power;
  }
}

TEST(DurationCounts, TakeTheExtremes) {
  EXPECT_EQ(bucket_of(0ns), 0U);
  EXPECT_EQ(bucket_of(-5s), 0U);
  EXPECT_EQ(bucket_of(Duration::min()), 0U);
  EXPECT_EQ(bucket_of(Duration::max()), kDurationBuckets - 1);
}

TEST(DurationCounts, SumWhatWasCounted) {
  DurationCounts counts;
  for (const Duration value : {Duration(3us), Duration(2s), Duration(-1s)}) counts.add(value);
  EXPECT_EQ(counts.nanoseconds(), 2'000'003'000U);
}

TEST(DurationTally, AddsUpThreads) {
  DurationCounts one;
  DurationCounts other;
  one.add(3us);
  other.add(4us);
  other.add(200s);
  DurationTally tally;
  tally.add(one);
  tally.add(other);
  EXPECT_EQ(tally.counts[2], 2U);
  EXPECT_EQ(tally.counts.back(), 1U);
  EXPECT_EQ(tally.nanoseconds, 200'000'007'000U);
}

}  // namespace
}  // namespace h2park::stats
