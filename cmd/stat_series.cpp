#include "cmd/stat_series.hpp"

#include <algorithm>

namespace h2park::cmd {

void Series::add(std::optional<double> value) {
  values_.push_back(value);
  if (values_.size() > kKept) {
    values_.pop_front();
    ++first_tick_;
  }
  if (!value) return;
  ++count_;
  sum_ += *value;
  peak_ = std::max(peak_.value_or(*value), *value);
}

std::optional<double> Series::mean() const {
  if (count_ == 0) return std::nullopt;
  return sum_ / static_cast<double>(count_);
}

std::optional<double> Series::peak() const { return peak_; }

std::vector<std::optional<double>> Series::columns(std::size_t width, std::size_t per_column) const {
  std::vector<std::optional<double>> out(width);
  if (values_.empty()) return out;
  std::vector<double> sums(width);
  std::vector<std::size_t> counts(width);
  const std::uint64_t newest = (first_tick_ + values_.size() - 1) / per_column;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::uint64_t age = newest - (first_tick_ + i) / per_column;
    if (!values_[i] || age >= width) continue;
    sums[width - 1 - age] += *values_[i];
    ++counts[width - 1 - age];
  }
  for (std::size_t i = 0; i < width; ++i) {
    if (counts[i] > 0) out[i] = sums[i] / static_cast<double>(counts[i]);
  }
  return out;
}

}  // namespace h2park::cmd
