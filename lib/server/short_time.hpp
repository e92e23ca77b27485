// ShortTime: a time of one worker in 32 bits, for what every connection keeps while it sleeps.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <cstdint>

namespace h2park::server {

/// Milliseconds since the worker was made, modulo 2^32 (49 days). Two are compared by their difference, so
/// they must stand for times less than 24 days apart.
class ShortTime {
 public:
  constexpr ShortTime() = default;
  constexpr explicit ShortTime(std::uint32_t milliseconds) : ms_(milliseconds) {}

  constexpr std::uint32_t milliseconds() const { return ms_; }
  constexpr bool operator==(const ShortTime&) const = default;
  constexpr bool before(ShortTime other) const { return static_cast<std::int32_t>(ms_ - other.ms_) < 0; }
  /// Requires: not before `earlier`.
  constexpr std::uint32_t since(ShortTime earlier) const { return ms_ - earlier.ms_; }
  constexpr ShortTime operator+(std::uint32_t milliseconds) const { return ShortTime(ms_ + milliseconds); }

 private:
  std::uint32_t ms_ = 0;
};

/// Makes them. Thread: any; constant.
class ShortTimes {
 public:
  /// Further away than this is the same as this: whoever waits for it looks again then.
  static constexpr Duration kMost = std::chrono::days(20);

  explicit ShortTimes(TimePoint epoch) : epoch_(epoch) {}

  ShortTime of_past(TimePoint when) const {
    return cut(std::chrono::floor<std::chrono::milliseconds>(when - epoch_));
  }
  /// Not before `when`, nor before `now`, and at most kMost after that.
  ShortTime of_future(TimePoint when, TimePoint now) const {
    const TimePoint near = std::clamp(when, now, now + kMost);
    return cut(std::chrono::ceil<std::chrono::milliseconds>(near - epoch_));
  }
  /// Requires: less than 24 days from `now`.
  TimePoint widen(ShortTime when, TimePoint now) const {
    const ShortTime here = of_past(now);
    const auto away = static_cast<std::int32_t>(when.milliseconds() - here.milliseconds());
    return epoch_ + std::chrono::floor<std::chrono::milliseconds>(now - epoch_) +
           std::chrono::milliseconds(away);
  }

 private:
  static ShortTime cut(std::chrono::milliseconds since) {
    return ShortTime(static_cast<std::uint32_t>(since.count()));
  }

  TimePoint epoch_;
};

}  // namespace h2park::server
