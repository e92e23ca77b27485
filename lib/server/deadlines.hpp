// Deadlines: when each connection of a worker is next to be woken, in one list.
//
// A heap with at most one entry per connection; the ticket knows its place in it. Most deadlines only move
// later (an idle timeout, with every request), so set() leaves the entry where it is then, and fire() puts it
// to its true place when it comes up: a request costs no heap operation.
//
// Times are rounded up to milliseconds: nothing fires early.
#pragma once

#include "base/clock.hpp"
#include "server/short_time.hpp"
#include "server/tickets.hpp"

#include <cstdint>
#include <vector>

namespace h2park::server {

/// Thread: the worker's.
class Deadlines {
 public:
  /// `now`: never later than what fire() is told.
  explicit Deadlines(Tickets& tickets, TimePoint now = {}) : tickets_(tickets), times_(now), now_(now) {}

  /// Replaces the connection's deadline; kNever: none. One that is further away than ShortTimes::kMost fires
  /// then. Requires: the ticket at `index` is taken.
  void set(std::uint32_t index, TimePoint due);
  /// Before the ticket is given back.
  void remove(std::uint32_t index);

  /// fire() calls on_due() no more often: what is left is due at once, after others had their turn. If each
  /// is thawed and frozen again, a request that comes meanwhile waits for a millisecond.
  static constexpr int kMostAtOnce = 32;

  /// When fire() has something to look at: never later than the earliest deadline.
  TimePoint next() const { return heap_.empty() ? kNever : times_.widen(heap_.front().when, now_); }

  /// Calls on_due(index) for each connection whose deadline has come; it then has none until set() again.
  template <class OnDue>
  void fire(TimePoint now, OnDue&& on_due) {
    now_ = now;
    const ShortTime here = times_.of_past(now);
    for (int left = kMostAtOnce; left > 0 && !heap_.empty() && !here.before(heap_.front().when);) {
      const std::uint32_t index = heap_.front().index;
      Ticket& ticket = tickets_[index];
      if (ticket.has_due && !here.before(ticket.due)) {
        remove(index);
        ticket.has_due = false;
        --left;
        on_due(index);
      } else {
        postpone_first(ticket);
      }
    }
  }
  std::size_t size() const { return heap_.size(); }
  const ShortTimes& times() const { return times_; }

 private:
  struct Entry {
    ShortTime when;
    std::uint32_t index;
  };
  static_assert(sizeof(Entry) == 8, "one for every idle connection");

  void bring_forward(std::uint32_t index, ShortTime when);
  void postpone_first(const Ticket& ticket);
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, Entry entry);

  Tickets& tickets_;
  const ShortTimes times_;
  TimePoint now_;  // of the last fire()
  std::vector<Entry> heap_;
};

}  // namespace h2park::server
