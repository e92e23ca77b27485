// Pacer: which request is next, and when it is due.
//
// With a rate the k-th request is due k intervals after the start, whoever makes it. A schedule that stays
// where it is: requests that could not begin in time, because the server was slow, are begun as soon as there
// is a worker, and what they waited is part of their latency. They come one per worker, not in a burst at the
// start of each second.
#pragma once

#include "base/clock.hpp"
#include "cmd/get_settings.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace h2park::cmd {

/// Thread: one.
class Pacer {
 public:
  struct Slot {
    std::uint64_t number;  ///< from 0
    TimePoint due;         ///< not before this
  };

  Pacer(const GetPace& pace, TimePoint start)
      : pace_(pace), start_(start), end_(pace.duration ? start + *pace.duration : kNever) {}

  /// The next request's slot, taken; nothing if no further one is to begin.
  std::optional<Slot> next(TimePoint now);
  /// When a worker that has got its answer begins to look for its next slot.
  TimePoint after_think(TimePoint now) const { return std::min(now + pace_.think, std::max(end_, now)); }

  TimePoint start() const { return start_; }
  /// No request begins from here on; kNever.
  TimePoint end() const { return end_; }

 private:
  const GetPace& pace_;
  const TimePoint start_;
  const TimePoint end_;
  std::uint64_t taken_ = 0;
};

}  // namespace h2park::cmd
