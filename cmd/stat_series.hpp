// Series: how one figure went over the last ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace h2park::cmd {

class Series {
 public:
  /// Three minutes of the shortest interval on which a sparkline is of use, and as many columns as any screen
  /// has.
  static constexpr std::size_t kKept = 4096;

  /// The next tick's value; nullopt: there is none.
  void add(std::optional<double> value);
  void reset() { *this = Series(); }

  std::optional<double> now() const { return values_.empty() ? std::nullopt : values_.back(); }
  /// Of all values since the beginning or reset(), not only those that are kept.
  std::optional<double> mean() const;
  std::optional<double> peak() const;
  std::size_t size() const { return values_.size(); }

  /// `width` columns, the newest to the right, each the mean of `per_column` neighbouring ticks. A column
  /// keeps its ticks as it moves to the left, so that a graph does not flicker. Requires: per_column > 0.
  std::vector<std::optional<double>> columns(std::size_t width, std::size_t per_column) const;

 private:
  std::deque<std::optional<double>> values_;
  std::uint64_t first_tick_ = 0;  // of values_.front()
  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::optional<double> peak_;
};

}  // namespace h2park::cmd
