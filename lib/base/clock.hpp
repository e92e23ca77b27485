// Time as the server sees it: one steady clock that tests can replace.
#pragma once

#include <chrono>

namespace h2park {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = Clock::duration;

/// A time to be kept for long, as by an idle connection: whole milliseconds differ in fewer bytes.
using CoarseTime = std::chrono::time_point<Clock, std::chrono::milliseconds>;
constexpr CoarseTime coarse(TimePoint when) { return std::chrono::floor<std::chrono::milliseconds>(when); }

/// "No deadline": later than any time a clock returns.
inline constexpr TimePoint kNever = TimePoint::max();

/// Where components take the time from.
/// Thread: one object per thread; not shared.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  /// Steady time for deadlines. May be cached for the current turn of a thread's loop.
  virtual TimePoint now() const = 0;
  /// Reads the clock again, for those who measure in the middle of a turn. It never goes back.
  virtual void refresh() {}
  /// Seconds since the Unix epoch, for `date` fields and logs.
  virtual std::chrono::system_clock::time_point wall() const = 0;
};

/// The real clocks, read when refresh() says so, at a turn's start for one: now() costs a load.
class SystemTime final : public TimeSource {
 public:
  SystemTime() { refresh(); }
  void refresh() override { now_ = Clock::now(); }
  TimePoint now() const override { return now_; }
  std::chrono::system_clock::time_point wall() const override { return std::chrono::system_clock::now(); }

 private:
  TimePoint now_;
};

/// The real clocks, read with each call: for those who measure.
class LiveTime final : public TimeSource {
 public:
  TimePoint now() const override { return Clock::now(); }
  std::chrono::system_clock::time_point wall() const override { return std::chrono::system_clock::now(); }
};

/// A clock that only moves when a test says so.
class ManualTime final : public TimeSource {
 public:
  void advance(Duration by) {
    now_ += by;
    wall_ += std::chrono::duration_cast<std::chrono::system_clock::duration>(by);
  }
  TimePoint now() const override { return now_; }
  std::chrono::system_clock::time_point wall() const override { return wall_; }

 private:
  TimePoint now_ = TimePoint{} + std::chrono::hours(1);
  std::chrono::system_clock::time_point wall_{std::chrono::seconds(1'800'000'000)};
};

}  // namespace h2park
