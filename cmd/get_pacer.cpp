#include "cmd/get_pacer.hpp"

namespace h2park::cmd {

std::optional<Pacer::Slot> Pacer::next(TimePoint now) {
  if (taken_ >= pace_.requests || now >= end_) return std::nullopt;
  const bool paced = pace_.interval > Duration::zero();
  // A schedule that has run out of the clock has run out of the duration as well: both are bounded.
  const TimePoint due = paced ? start_ + pace_.interval * static_cast<Duration::rep>(taken_) : now;
  if (due >= end_) {
    taken_ = pace_.requests;
    return std::nullopt;
  }
  return Slot{taken_++, due};
}

}  // namespace h2park::cmd
