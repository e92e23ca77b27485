// FreezeSchedule: which of a worker's parked connections are to be looked at, and when.
//
// A wheel of ticks, each a twentieth of the delay before freezing: connections that rest at different moments
// come due together, so that one wake-up of the thread serves many, and adding one costs no search. Four
// bytes per connection that waits, none for one that is frozen.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace h2park::server {

/// Thread: the worker's.
class FreezeSchedule {
 public:
  /// `delay`: how far away a due time usually is. `epoch`: not later than any other time here.
  FreezeSchedule(Duration delay, TimePoint epoch);

  /// take() returns `index` at `due`, or less than a tick later. One that is further away than horizon()
  /// comes earlier: whoever asked looks, and adds it again. Requires: `index` is not in the schedule; `now`
  /// never goes back.
  void add(std::uint32_t index, TimePoint due, TimePoint now);
  /// One whose time has come; it is in the schedule no more. Requires: `now` never goes back.
  std::optional<std::uint32_t> take(TimePoint now);
  /// When take() has one: a time that has passed if it has one left. kNever: it is empty.
  TimePoint next() const;

  Duration tick() const { return tick_; }
  Duration horizon() const { return tick_ * (kTicks - 1); }

 private:
  static constexpr std::int64_t kTicks = 64;
  static constexpr int kTicksPerDelay = 20;

  std::int64_t last_tick(TimePoint now) const { return (now - epoch_) / tick_; }
  void come_to(std::int64_t tick);
  TimePoint time_of(std::int64_t tick) const { return epoch_ + tick * tick_; }

  const Duration tick_;
  const TimePoint epoch_;
  std::array<std::vector<std::uint32_t>, kTicks> later_;  // by tick, modulo kTicks
  std::uint64_t waiting_ = 0;                             // a bit for each of these that is not empty
  std::int64_t here_ = 0;                                 // the last tick whose connections are due
  std::vector<std::uint32_t> due_;
};

}  // namespace h2park::server
