// Deadlines: when each connection of a worker is next to be woken, in one list.
//
// A heap with at most one entry per connection; the ticket knows its place in it. Most deadlines only move
// later (an idle timeout, with every request), so set() leaves the entry where it is then, and fire() puts it
// to its true place when it comes up: a request costs no heap operation.
#pragma once

#include "base/clock.hpp"
#include "server/tickets.hpp"

#include <cstdint>
#include <vector>

namespace h2park::server {

/// Thread: the worker's.
class Deadlines {
 public:
  explicit Deadlines(Tickets& tickets) : tickets_(tickets) {}

  /// Replaces the connection's deadline; kNever: none. Requires: the ticket at `index` is taken.
  void set(std::uint32_t index, TimePoint due);
  /// Before the ticket is given back.
  void remove(std::uint32_t index);

  /// When fire() has something to look at: never later than the earliest deadline.
  TimePoint next() const { return heap_.empty() ? kNever : heap_.front().when; }

  /// Calls on_due(index) for each connection whose deadline has come; it then has none until set() again.
  template <class OnDue>
  void fire(TimePoint now, OnDue&& on_due) {
    while (!heap_.empty() && heap_.front().when <= now) {
      const std::uint32_t index = heap_.front().index;
      Ticket& ticket = tickets_[index];
      if (ticket.due > now) {
        postpone_first(ticket);
        continue;
      }
      remove(index);
      ticket.due = kNever;
      on_due(index);
    }
  }
  std::size_t size() const { return heap_.size(); }

 private:
  struct Entry {
    TimePoint when;
    std::uint32_t index;
  };
  void postpone_first(Ticket& ticket);
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, Entry entry);

  Tickets& tickets_;
  std::vector<Entry> heap_;
};

}  // namespace h2park::server
