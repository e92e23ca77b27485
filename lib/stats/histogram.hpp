// Histogram: how long things took, in constant memory and with less than 1 % error.
//
// 1. Below kLinear (1.024 us) buckets are 8 ns wide; above, every power of two is cut into 128 buckets of
//    equal width, so that a bucket is never wider than 1/128 of what it begins with.
// 2. A quantile is the middle of the bucket in which it lies: at most 1/256 (0.4 %) from the true value.
// 3. Number, least, greatest and mean value are kept apart, exactly.
#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace h2park::stats {

/// Thread: one; each thread fills its own, and they are merged.
class Histogram {
 public:
  static constexpr unsigned kSteps = 128;  ///< buckets per power of two: the error is 1 / (2 * kSteps)
  static constexpr Duration kLinear{1024};
  /// 2^46 ns, 19.5 hours: what took longer is counted in the last bucket. 37 KiB if all buckets are in use.
  static constexpr Duration kLongest{std::int64_t{1} << 46};

  /// Negative values count as 0.
  void add(Duration value, std::uint64_t times = 1);
  void merge(const Histogram& other);
  void clear() { *this = Histogram(); }

  std::uint64_t count() const { return count_; }
  /// Zero without values, for all of these.
  Duration min() const { return count_ == 0 ? Duration::zero() : min_; }
  Duration max() const { return max_; }
  Duration mean() const;
  /// The value that `share` of all values (0 to 1) do not exceed: quantile(0.99) is the 99th percentile by
  /// nearest rank.
  Duration quantile(double share) const;

  struct Bucket {
    Duration least;  ///< of its values
    Duration below;  ///< they are less than this
    std::uint64_t count = 0;
  };
  /// Those with values, in rising order: for charts.
  std::vector<Bucket> buckets() const;
  /// How many values were below `bound`, to a bucket's width: the bucket in which it lies is not counted. For
  /// the rows of a chart and the "le" buckets of Prometheus.
  std::uint64_t count_below(Duration bound) const;

 private:
  static std::size_t index_of(Duration value);
  static Bucket bounds(std::size_t index);

  std::vector<std::uint64_t> counts_;  // up to the last that is not 0
  std::uint64_t count_ = 0;
  long double sum_ = 0;  // nanoseconds; exact up to 2^64, which is 584 years
  Duration min_ = Duration::max();
  Duration max_{};
};

}  // namespace h2park::stats
