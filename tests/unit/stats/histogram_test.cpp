#include "stats/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace h2park::stats {
namespace {

using namespace std::chrono_literals;

// What the histogram must agree with: all values, sorted. In integers, so that rounding has no say.
Duration nearest_rank(const std::vector<Duration>& sorted, std::size_t per_mille) {
  const std::size_t rank = (per_mille * sorted.size() + 999) / 1000;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

void want_same_figures(std::vector<Duration> values) {
  Histogram histogram;
  long double sum = 0;
  for (const Duration value : values) {
    histogram.add(value);
    sum += static_cast<long double>(value.count());
  }
  std::ranges::sort(values);
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
  EXPECT_EQ(histogram.mean().count(),
            static_cast<Duration::rep>(sum / static_cast<long double>(values.size())));
  for (std::size_t share = 0; share <= 1000; ++share) {
    const auto want = static_cast<double>(nearest_rank(values, share).count());
    const auto got = static_cast<double>(histogram.quantile(static_cast<double>(share) / 1000).count());
    // Below 1.024 us a bucket is 8 ns wide.
    EXPECT_NEAR(got, want, std::max(4.0, want / 256)) << share << " per mille of " << values.size();
  }
}

TEST(Histogram, AgreesWithSortedValues) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1, 2, 3, 10, 99, 100, 101, 1000, 20'000}) {
    std::vector<Duration> even;
    std::vector<Duration> over_all_scales;
    std::vector<Duration> long_tailed;
    std::lognormal_distribution<double> tail(13, 2);
    for (std::size_t i = 0; i < size; ++i) {
      even.emplace_back(std::uniform_int_distribution<std::int64_t>(0, 10'000'000)(random));
      over_all_scales.emplace_back(random() >> (18 + random() % 46));
      long_tailed.emplace_back(static_cast<std::int64_t>(tail(random)));
    }
    want_same_figures(even);
    want_same_figures(over_all_scales);
    want_same_figures(long_tailed);
  }
}

TEST(Histogram, FindsAnOutlierOnlyWhereItIs) {
  std::vector<Duration> values(999, Duration(1ms));
  values.emplace_back(1h);
  want_same_figures(values);
  Histogram histogram;
  for (const Duration value : values) histogram.add(value);
  EXPECT_LT(histogram.quantile(0.999), 2ms);
  EXPECT_EQ(histogram.quantile(1), 1h);
}

TEST(Histogram, WithoutValuesIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), 0s);
  EXPECT_EQ(histogram.max(), 0s);
  EXPECT_EQ(histogram.mean(), 0s);
  EXPECT_EQ(histogram.quantile(0.5), 0s);
  EXPECT_TRUE(histogram.buckets().empty());
  EXPECT_EQ(histogram.count_below(1h), 0U);
}

TEST(Histogram, OneValueIsEveryQuantileExactly) {
  Histogram histogram;
  histogram.add(123'457us);
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(histogram.quantile(share), 123'457us);
}

TEST(Histogram, BucketsAreGaplessAndNarrow) {
  Histogram histogram;
  // The edges of all powers of two, and what lies around them.
  for (int power = 0; power < 46; ++power) {
    for (const std::int64_t around : {-1, 0, 1}) histogram.add(Duration((std::int64_t{1} << power) + around));
  }
  Duration last{};
  std::uint64_t seen = 0;
  for (const auto& bucket : histogram.buckets()) {
    EXPECT_LE(last, bucket.least);
    EXPECT_LT(bucket.least, bucket.below);
    const Duration width = bucket.below - bucket.least;
    EXPECT_LE(width.count(), std::max<std::int64_t>(8, bucket.least.count() / 128)) << bucket.least.count();
    last = bucket.below;
    seen += bucket.count;
  }
  EXPECT_EQ(seen, histogram.count());
}

TEST(Histogram, EveryValueLiesInItsBucket) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const Duration value(static_cast<std::int64_t>(random() >> (18 + random() % 46)));
    Histogram histogram;
    histogram.add(value);
    const auto bucket = histogram.buckets().at(0);
    ASSERT_LE(bucket.least, value);
    ASSERT_GT(bucket.below, value);
  }
}

TEST(Histogram, MergesAsIfAllHadBeenAddedToOne) {
  std::mt19937_64 random(5);
  Histogram all;
  std::vector<Histogram> parts(3);
  for (int i = 0; i < 3000; ++i) {
    const Duration value(static_cast<std::int64_t>(random() % 1'000'000'000));
    all.add(value);
    parts[static_cast<std::size_t>(i % 3)].add(value);
  }
  Histogram merged;
  merged.merge(parts[0]);
  merged.merge(Histogram());
  merged.merge(parts[1]);
  merged.merge(parts[2]);
  EXPECT_EQ(merged.count(), all.count());
  EXPECT_EQ(merged.min(), all.min());
  EXPECT_EQ(merged.max(), all.max());
  EXPECT_EQ(merged.mean(), all.mean());
  for (double share = 0; share <= 1; share += 0.01) EXPECT_EQ(merged.quantile(share), all.quantile(share));
  parts[0].merge(parts[0]);
  EXPECT_EQ(parts[0].count(), 2000U);
}

TEST(Histogram, CountsWhatLiesBelowABound) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(i * 1ms);
  EXPECT_EQ(histogram.count_below(0ms), 0U);
  EXPECT_EQ(histogram.count_below(1ms), 0U);
  EXPECT_NEAR(static_cast<double>(histogram.count_below(100ms)), 99, 1);
  EXPECT_NEAR(static_cast<double>(histogram.count_below(500ms)), 499, 4);
  EXPECT_EQ(histogram.count_below(1001ms), 1000U);
  EXPECT_EQ(histogram.count_below(Duration::max()), 1000U);
}

TEST(Histogram, TakesNegativeValuesAsZeroAndTooLongOnesAsTheLongest) {
  Histogram histogram;
  histogram.add(-1s);
  EXPECT_EQ(histogram.min(), 0s);
  EXPECT_EQ(histogram.mean(), 0s);
  histogram.add(1000h);
  histogram.add(Duration::max());
  EXPECT_EQ(histogram.max(), Duration::max());
  EXPECT_EQ(histogram.quantile(0.1), 0s);
  EXPECT_EQ(histogram.buckets().size(), 2U);
  EXPECT_EQ(histogram.buckets()[1].below, Histogram::kLongest);
}

TEST(Histogram, CountsInSixtyFourBits) {
  Histogram histogram;
  histogram.add(1ms, 0);
  EXPECT_EQ(histogram.count(), 0U);
  histogram.add(1ms, 5'000'000'000);
  histogram.add(3ms, 5'000'000'000);
  EXPECT_EQ(histogram.count(), 10'000'000'000U);
  EXPECT_EQ(histogram.mean(), 2ms);
  EXPECT_NEAR(static_cast<double>(histogram.quantile(0.5).count()), 1e6, 4e3);
  EXPECT_EQ(histogram.quantile(0.51), 3ms);
}

}  // namespace
}  // namespace h2park::stats
