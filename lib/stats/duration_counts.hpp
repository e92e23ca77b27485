// DurationCounts: how long things took, counted in a few fixed buckets by the one thread that measures them.
//
// 1. Each power of ten from 1 us to 100 s is cut at 1, 2.5 and 5, as Prometheus's own libraries do it: a
//    bound is at least twice the one before, so between two powers of two there is one bound at most, and one
//    comparison finds the bucket.
// 2. A count is two additions without a locked instruction. Any thread may read them meanwhile.
//
// Quantiles want stats::Histogram, which is finer, grows, and belongs to one thread.
#pragma once

#include "base/clock.hpp"
#include "base/thread_counter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace h2park::stats {

namespace detail {

constexpr std::array<Duration, 25> duration_bounds() {
  std::array<Duration, 25> bounds{};
  std::int64_t unit = 1'000;
  for (std::size_t i = 0; i < bounds.size(); i += 3, unit *= 10) {
    bounds[i] = Duration(unit);
    if (i + 2 < bounds.size()) bounds[i + 1] = Duration(unit / 2 * 5);
    if (i + 2 < bounds.size()) bounds[i + 2] = Duration(unit * 5);
  }
  return bounds;
}

/// Binary digits.
constexpr std::size_t digits_of(std::uint64_t number) {
  return static_cast<std::size_t>(std::bit_width(number));
}

}  // namespace detail

/// Upper bounds of the buckets, themselves included; what is longer counts in one more, the last.
inline constexpr auto kDurationBounds = detail::duration_bounds();
inline constexpr std::size_t kDurationBuckets = kDurationBounds.size() + 1;
static_assert(kDurationBounds.back() == std::chrono::seconds(100));

/// Thread: written by one, read by any.
class DurationCounts {
 public:
  /// Negative values count as 0.
  void add(Duration value) noexcept {
    const auto nanoseconds = static_cast<std::uint64_t>(std::max(value, Duration::zero()).count());
    counts_[bucket_of(nanoseconds)].add();
    nanoseconds_.add(nanoseconds);
  }

  std::uint64_t count(std::size_t bucket) const noexcept { return counts_[bucket].get(); }
  std::uint64_t nanoseconds() const noexcept { return nanoseconds_.get(); }

 private:
  /// By the number of a value's binary digits: the first bucket whose bound has as many, or more.
  static constexpr auto kFirst = [] {
    std::array<std::uint8_t, 65> first{};
    for (std::size_t digits = 0; digits < first.size(); ++digits) {
      const auto shorter = [&](Duration bound) {
        return detail::digits_of(static_cast<std::uint64_t>(bound.count())) < digits;
      };
      first[digits] = static_cast<std::uint8_t>(std::ranges::count_if(kDurationBounds, shorter));
    }
    return first;
  }();

  static std::size_t bucket_of(std::uint64_t nanoseconds) noexcept {
    const std::size_t first = kFirst[detail::digits_of(nanoseconds)];
    if (first == kDurationBounds.size()) return first;
    return first + (nanoseconds > static_cast<std::uint64_t>(kDurationBounds[first].count()) ? 1 : 0);
  }

  std::array<ThreadCounter, kDurationBuckets> counts_;
  ThreadCounter nanoseconds_;  // the sum: 584 years of waiting fit
};

/// The counts of one moment, of one thread or more together.
struct DurationTally {
  std::array<std::uint64_t, kDurationBuckets> counts{};
  std::uint64_t nanoseconds = 0;

  void add(const DurationCounts& thread) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += thread.count(i);
    nanoseconds += thread.nanoseconds();
  }
};

}  // namespace h2park::stats
