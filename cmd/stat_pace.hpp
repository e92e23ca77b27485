// StatPace: the clock of a command that waits between its readings, which tests replace.
#pragma once

#include "base/clock.hpp"

namespace h2park::cmd {

class StatPace {
 public:
  virtual ~StatPace() = default;
  virtual TimePoint now() const = 0;
  virtual std::chrono::system_clock::time_point wall() const = 0;
  virtual void sleep_until(TimePoint time) = 0;
};

class RealPace final : public StatPace {
 public:
  TimePoint now() const override { return Clock::now(); }
  std::chrono::system_clock::time_point wall() const override { return std::chrono::system_clock::now(); }
  void sleep_until(TimePoint time) override;
};

/// Ticks at a fixed rate from its construction; a tick that is late leaves out those that it has missed.
class Ticks {
 public:
  Ticks(TimePoint start, Duration interval) : next_(start), interval_(interval) {}
  /// The first one later than `now`.
  TimePoint after(TimePoint now) {
    if (next_ <= now) next_ += interval_ * ((now - next_) / interval_ + 1);
    return next_;
  }

 private:
  TimePoint next_;
  Duration interval_;
};

}  // namespace h2park::cmd
