// Tickets: what stays outside a connection, at a fixed address, at most 64 bytes each.
//
// The table is made of chunks that are never moved or given back while the worker lives, so that other
// threads may read a ticket's word at any time: an id that is out of date meets another generation there.
#pragma once

#include "base/clock.hpp"
#include "freezer/image.hpp"
#include "server/connection_id.hpp"
#include "server/wake_set.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace h2park::server {

class Connection;

struct Ticket {
  /// generation << 32 | pending wake reasons. Any thread, through Gate only; the owner changes the
  /// generation.
  std::atomic<std::uint64_t> word{0};

  // The worker's thread only.
  Connection* connection = nullptr;  ///< null: free
  int descriptor = -1;               ///< the connection's socket
  TimePoint due = kNever;            ///< when the connection is to be woken by a timer; see Deadlines
  freezer::Image image;              ///< the packed connection; empty while it is resident
  std::uint32_t heap_place = 0;      ///< 1 + its place in the heap of Deadlines; 0: none
  std::uint32_t next_free = 0;       ///< 1 + index of the next free ticket; 0: none
  std::uint32_t rest_since_ms = 0;   ///< when it was parked, or frozen; see Freezing
  std::uint8_t patience = 0;         ///< its delay before freezing is doubled this often
  bool parked = false;
  bool pinned = false;  ///< parked, but not to be frozen
  bool queued = false;  ///< stands in Freezing's queue
};
static_assert(sizeof(Ticket) <= 64, "a dormant connection leaves no more than this outside its own memory");

/// Thread: the worker's, except word_of().
class Tickets {
 public:
  /// `most`: how many connections a worker can hold at once.
  explicit Tickets(std::size_t most);

  /// Takes a free ticket, whose connection the caller sets. Requires: size() < most.
  ConnectionId take();
  ConnectionId take(Connection& connection) {
    const ConnectionId id = take();
    (*this)[id.index].connection = &connection;
    return id;
  }
  /// Ends its generation; pending wakes are forgotten. The ticket may be taken again at once.
  void give_back(ConnectionId id);

  Ticket& operator[](std::uint32_t index) { return chunk(index)[index % kChunk]; }
  /// The id of the ticket's present owner.
  ConnectionId id_of(std::uint32_t index) const;
  /// Null if the id's generation has passed.
  Ticket* find(ConnectionId id);
  std::size_t size() const { return used_; }
  std::size_t most() const { return most_; }
  std::size_t bytes() const { return chunks_made_ * kChunk * sizeof(Ticket); }

  /// Any thread. Null if no ticket was ever made there.
  std::atomic<std::uint64_t>* word_of(std::uint32_t index);

  /// visit(ConnectionId, Ticket&) for each ticket that is taken.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t i = 0; i < made_; ++i) {
      if ((*this)[i].connection != nullptr) visit(id_of(i), (*this)[i]);
    }
  }

 private:
  static constexpr std::size_t kChunk = 256;  // 16 KiB at most: a small server stays small
  Ticket* chunk(std::uint32_t index) const { return chunks_[index / kChunk].load(std::memory_order_relaxed); }

  const std::size_t most_;
  std::vector<std::atomic<Ticket*>> chunks_;  // sized once; each pointer is set once
  std::vector<std::unique_ptr<Ticket[]>> owned_;
  std::size_t chunks_made_ = 0;
  std::uint32_t made_ = 0;
  std::uint32_t free_ = 0;  // 1 + index
  std::size_t used_ = 0;
};

}  // namespace h2park::server
