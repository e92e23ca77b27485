#include "net/timer_queue.hpp"

namespace h2park::net {

// One at a time, from the front: a callback may destroy or set any timer, this one too. What is set again for
// a time that has come is passed over, or a timer that always sets itself would keep us here.
void TimerQueue::fire(TimePoint now) {
  ++round_;
  auto next = entries_.begin();
  while (next != entries_.end() && next->first <= now) {
    Timer& timer = *next->second;
    if (timer.round_ == round_) {
      ++next;
      continue;
    }
    entries_.erase(next);
    timer.queued_ = false;
    if (timer.due_ == kNever) {
      // Cleared since.
    } else if (timer.due_ > now) {
      timer.enter();  // it only moved later
    } else {
      timer.due_ = kNever;
      // A copy: the callback may destroy the timer.
      const std::function<void()> call = timer.on_due_;
      call();
    }
    next = entries_.begin();
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
  enter();
  if (due < before) queue_.earlier_();
}

void Timer::enter() {
  place_ = queue_.entries_.emplace(due_, this);
  queued_ = true;
  round_ = queue_.round_;
}

}  // namespace h2park::net
