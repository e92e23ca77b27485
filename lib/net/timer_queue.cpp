#include "net/timer_queue.hpp"

#include <vector>

namespace h2park::net {

void TimerQueue::fire(TimePoint now) {
  // One at a time, from the front: a callback may destroy or set any timer, this one too. What is set again
  // for a time that has come is put aside, or a timer that always sets itself would keep us here.
  const auto end_of_round = entries_.upper_bound(now);
  std::size_t left = static_cast<std::size_t>(std::distance(entries_.begin(), end_of_round));
  while (left > 0 && !entries_.empty() && entries_.begin()->first <= now) {
    --left;
    Timer& timer = *entries_.begin()->second;
    entries_.erase(entries_.begin());
    timer.queued_ = false;
    if (timer.due_ == kNever) continue;
    if (timer.due_ > now) {
      timer.place_ = entries_.emplace(timer.due_, &timer);
      timer.queued_ = true;
      continue;
    }
    timer.due_ = kNever;
    // Moved out for the call: the callback may destroy the timer.
    std::function<void()> call = timer.on_due_;
    call();
  }
}

Timer::~Timer() {
  if (queued_) queue_.entries_.erase(place_);
}

void Timer::set(TimePoint due) {
  due_ = due;
  if (queued_ && place_->first <= due) return;
  if (queued_) queue_.entries_.erase(place_);
  queued_ = false;
  if (due == kNever) return;
  const TimePoint before = queue_.next();
  place_ = queue_.entries_.emplace(due, this);
  queued_ = true;
  if (due < before) queue_.earlier_();
}

}  // namespace h2park::net
