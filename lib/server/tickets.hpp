// Tickets: what stays outside a connection, at a fixed address, 40 bytes each.
//
// The table is made of chunks that are never moved or given back while the worker lives, so that other
// threads may read a ticket's word at any time: an id that is out of date meets another generation there.
#pragma once

#include "freezer/image.hpp"
#include "server/connection_id.hpp"
#include "server/short_time.hpp"
#include "server/wake_set.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
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
  freezer::Image image;              ///< the packed connection; empty while it is resident
  ShortTime due;                     ///< when a timer is to wake the connection, if has_due; see Deadlines
  std::uint32_t heap_place = 0;      ///< 1 + its place in the heap of Deadlines; 0: none
  union {
    ShortTime rest_since;     ///< when it was parked, or frozen; see Freezing
    std::uint32_t next_free;  ///< of a free ticket: 1 + index of the next one; 0: none
  };
  static constexpr std::uint32_t kMostDescriptor = (1U << 22) - 1;
  std::uint32_t descriptor : 22 = kMostDescriptor;  ///< the connection's socket; kMostDescriptor: none
  std::uint32_t patience : 5 = 0;                   ///< its delay before freezing is doubled this often
  std::uint32_t parked : 1 = false;
  std::uint32_t pinned : 1 = false;  ///< parked, but not to be frozen
  std::uint32_t has_due : 1 = false;
  std::uint32_t scheduled : 1 = false;  ///< in FreezeSchedule; of the place, whoever has it, free or not
  std::uint32_t quiet : 1 = false;  ///< its socket's buffers stay empty until it is woken; see MemorySample

  Ticket() : rest_since() {}
};
static_assert(sizeof(Ticket) <= 40, "a dormant connection leaves no more than this outside its own memory");

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
  /// Indices below this were taken once.
  std::uint32_t made() const { return made_; }
  std::size_t most() const { return most_; }
  std::size_t bytes() const { return chunks_made_ * kChunk * sizeof(Ticket); }

  /// Any thread. Null if no ticket was ever made there.
  std::atomic<std::uint64_t>* word_of(std::uint32_t index);

  /// visit(ConnectionId, Ticket&) for each ticket that is taken, of those with an index below `end`.
  template <class Visit>
  void for_each(Visit&& visit, std::size_t end = std::numeric_limits<std::size_t>::max()) {
    for (std::uint32_t i = 0; i < std::min<std::size_t>(made_, end); ++i) {
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
