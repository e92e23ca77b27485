#include "stats/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace h2park::stats {
namespace {

constexpr unsigned kStepBits = std::countr_zero(Histogram::kSteps);
constexpr unsigned kLinearBits = std::countr_zero(static_cast<std::uint64_t>(Histogram::kLinear.count()));
static_assert(std::has_single_bit(Histogram::kSteps));
static_assert(std::has_single_bit(static_cast<std::uint64_t>(Histogram::kLinear.count())));
static_assert(kLinearBits > kStepBits);

}  // namespace

// The first kSteps buckets are the linear ones. Those of the power p (2^p <= value < 2^(p+1)) follow those of
// p - 1, and have a width of 2^(p - kStepBits).
std::size_t Histogram::index_of(Duration value) {
  const auto ns = static_cast<std::uint64_t>(std::min(value, kLongest - Duration(1)).count());
  const unsigned power = std::max(static_cast<unsigned>(std::bit_width(ns)), kLinearBits + 1) - 1;
  if (ns < (std::uint64_t{1} << kLinearBits)) return ns >> (kLinearBits - kStepBits);
  const std::uint64_t step = (ns >> (power - kStepBits)) - kSteps;
  return (power - kLinearBits + 1) * std::size_t{kSteps} + step;
}

Histogram::Bucket Histogram::bounds(std::size_t index) {
  const auto group = static_cast<unsigned>(index / kSteps);
  const auto step = static_cast<std::int64_t>(index % kSteps);
  // A group begins at step 0 (linear) or at its power of two, which is kSteps widths.
  const unsigned width_bits = group == 0 ? kLinearBits - kStepBits : kLinearBits - kStepBits + group - 1;
  const std::int64_t first = group == 0 ? step : step + kSteps;
  return {Duration(first << width_bits), Duration((first + 1) << width_bits)};
}

void Histogram::add(Duration value, std::uint64_t times) {
  if (times == 0) return;
  value = std::max(value, Duration::zero());
  const std::size_t index = index_of(value);
  if (index >= counts_.size()) counts_.resize(index + 1);
  counts_[index] += times;
  count_ += times;
  sum_ += static_cast<long double>(value.count()) * static_cast<long double>(times);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Duration Histogram::mean() const {
  if (count_ == 0) return Duration::zero();
  return Duration(static_cast<Duration::rep>(sum_ / static_cast<long double>(count_)));
}

Duration Histogram::quantile(double share) const {
  if (count_ == 0) return Duration::zero();
  // 0.9 of 10 is the ninth, although 0.9 as a double is a little more.
  constexpr long double kRounding = 1 - 1e-12L;
  const auto wanted =
      std::ceil(static_cast<long double>(share) * static_cast<long double>(count_) * kRounding);
  if (wanted <= 1) return min_;
  if (wanted >= static_cast<long double>(count_)) return max_;
  const auto rank = static_cast<std::uint64_t>(wanted);
  std::size_t index = 0;
  for (std::uint64_t seen = counts_[0]; seen < rank; seen += counts_[index]) ++index;
  const Bucket bucket = bounds(index);
  return std::clamp(bucket.least + (bucket.below - bucket.least) / 2, min_, max_);
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    result.push_back(bounds(i));
    result.back().count = counts_[i];
  }
  return result;
}

std::uint64_t Histogram::count_below(Duration bound) const {
  if (bound > max_) return count_;
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < counts_.size() && bounds(i).below <= bound; ++i) result += counts_[i];
  return result;
}

}  // namespace h2park::stats
