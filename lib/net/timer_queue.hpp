// TimerQueue: points in time that objects wait for, in one ordered list per thread; Timer: one such wait.
//
// Timers are set with every request and seldom come due, so setting one that only moves later costs no
// change of the list: it stays where it is until it comes up, and then goes to its true place.
#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace h2park::net {

class Timer;

/// Thread: its owner's.
class TimerQueue {
 public:
  /// Calls `earlier` when next() has become earlier than it was.
  explicit TimerQueue(std::function<void()> earlier = [] {}) : earlier_(std::move(earlier)) {}

  /// When fire() has something to look at: never later than the earliest deadline.
  TimePoint next() const { return entries_.empty() ? kNever : entries_.begin()->first; }
  /// Calls every timer that is due at `now`, the earliest first; one set again meanwhile for a time that has
  /// come too waits for the next call.
  void fire(TimePoint now);
  std::size_t size() const { return entries_.size(); }

 private:
  friend class Timer;
  using Entries = std::multimap<TimePoint, Timer*>;

  Entries entries_;
  std::uint64_t round_ = 0;  // counts calls of fire()
  std::function<void()> earlier_;
};

/// Calls its owner once when its time has come.
/// Lifetime: within the queue's; may be destroyed inside its own callback.
class Timer {
 public:
  Timer(TimerQueue& queue, std::function<void()> on_due) : queue_(queue), on_due_(std::move(on_due)) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Replaces what was set; kNever: no more.
  void set(TimePoint due);
  void clear() { set(kNever); }
  TimePoint due() const { return due_; }

 private:
  friend class TimerQueue;

  /// Takes its place in the queue.
  void enter();

  TimerQueue& queue_;
  std::function<void()> on_due_;
  TimePoint due_ = kNever;
  TimerQueue::Entries::iterator place_{};
  std::uint64_t round_ = 0;  // of the queue when the place was taken
  bool queued_ = false;
};

}  // namespace h2park::net
