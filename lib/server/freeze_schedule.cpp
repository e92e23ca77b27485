#include "server/freeze_schedule.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace h2park::server {

FreezeSchedule::FreezeSchedule(Duration delay, TimePoint epoch)
    : tick_(std::max<Duration>(delay / kTicksPerDelay, std::chrono::milliseconds(1))), epoch_(epoch) {}

void FreezeSchedule::add(std::uint32_t index, TimePoint due, TimePoint now) {
  // Nobody may have looked for long, because nothing was due: the wheel stands where it stood then.
  if (waiting_ == 0) here_ = std::max(here_, last_tick(now));
  const TimePoint farthest = time_of(here_ + kTicks - 1);
  const Duration since = std::min(due, farthest) - epoch_;
  const std::int64_t tick = since / tick_ + (since % tick_ > Duration::zero() ? 1 : 0);
  if (tick <= here_) {
    due_.push_back(index);
    return;
  }
  const auto at = static_cast<std::size_t>(tick % kTicks);
  later_[at].push_back(index);
  waiting_ |= std::uint64_t{1} << at;
}

std::optional<std::uint32_t> FreezeSchedule::take(TimePoint now) {
  if (due_.empty()) come_to(last_tick(now));
  if (due_.empty()) return std::nullopt;
  const std::uint32_t index = due_.back();
  due_.pop_back();
  if (due_.empty()) due_ = {};  // a crowd's memory goes with it
  return index;
}

void FreezeSchedule::come_to(std::int64_t tick) {
  for (std::int64_t next = here_ + 1; next <= tick && waiting_ != 0; ++next) {
    const auto at = static_cast<std::size_t>(next % kTicks);
    if ((waiting_ >> at & 1) == 0) continue;
    waiting_ &= ~(std::uint64_t{1} << at);
    here_ = next;
    due_ = std::exchange(later_[at], {});
    return;
  }
  here_ = std::max(here_, tick);
}

TimePoint FreezeSchedule::next() const {
  if (!due_.empty()) return epoch_;
  if (waiting_ == 0) return kNever;
  const auto first = static_cast<int>((here_ + 1) % kTicks);
  return time_of(here_ + 1 + std::countr_zero(std::rotr(waiting_, first)));
}

}  // namespace h2park::server
