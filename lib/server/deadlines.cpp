#include "server/deadlines.hpp"

namespace h2park::server {

void Deadlines::set(std::uint32_t index, TimePoint due) {
  Ticket& ticket = tickets_[index];
  ticket.has_due = due != kNever;
  if (due == kNever) return;  // an entry that is left comes up once and goes
  ticket.due = times_.of_future(due, now_);
  bring_forward(index, ticket.due);
}

void Deadlines::bring_forward(std::uint32_t index, ShortTime when) {
  const std::uint32_t place = tickets_[index].heap_place;
  if (place == 0) {
    heap_.push_back({when, index});
    sift_up(heap_.size() - 1);
  } else if (when.before(heap_[place - 1].when)) {
    heap_[place - 1].when = when;
    sift_up(place - 1);
  }
}

void Deadlines::remove(std::uint32_t index) {
  const std::uint32_t place = tickets_[index].heap_place;
  if (place == 0) return;
  tickets_[index].heap_place = 0;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (last.index == index) return;
  put(place - 1, last);
  sift_up(place - 1);
  sift_down(tickets_[last.index].heap_place - 1);
}

void Deadlines::postpone_first(const Ticket& ticket) {
  if (!ticket.has_due) {
    remove(heap_.front().index);
    return;
  }
  heap_.front().when = ticket.due;
  sift_down(0);
}

void Deadlines::put(std::size_t place, Entry entry) {
  heap_[place] = entry;
  tickets_[entry.index].heap_place = static_cast<std::uint32_t>(place + 1);
}

void Deadlines::sift_up(std::size_t place) {
  const Entry moving = heap_[place];
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!moving.when.before(heap_[parent].when)) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, moving);
}

void Deadlines::sift_down(std::size_t place) {
  const Entry moving = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].when.before(heap_[child].when)) ++child;
    if (!heap_[child].when.before(moving.when)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, moving);
}

}  // namespace h2park::server
