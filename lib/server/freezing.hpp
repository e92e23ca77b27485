// Freezing: packs a worker's parked connections after a while, and brings them back.
//
// 1. A connection that parks is looked at freeze_after later, or a twentieth of that more, so that one
//    wake-up of the thread serves many (freeze_schedule.hpp).
// 2. If it is still parked, and has been since, it is packed into an image and its slot's pages go back to
//    the kernel. What is left is the ticket and the image. If it was woken meanwhile, it is looked at again
//    later.
// 3. Few connections are frozen between two looks at the sockets, so that no request waits for a fleet that
//    fell idle at once.
// 4. A wake thaws it, at the same addresses: nobody inside notices.
// 5. A peer that pokes soon after each freeze would make us pack for nothing: each such poke doubles its
//    connection's delay, up to a minute; a freeze that lasted starts over.
//
// A handler that waits for something of its own, not of a Responder, pins its connection: whoever ends that
// wait touches the coroutine's frame. Without slots (the kernel refused the address space, or freezing is
// off) connections live on the heap.
#pragma once

#include "base/pooled_heap.hpp"
#include "freezer/packer.hpp"
#include "freezer/slots.hpp"
#include "server/account.hpp"
#include "server/deadlines.hpp"
#include "server/freeze_schedule.hpp"
#include "server/options.hpp"
#include "server/tickets.hpp"

#include <array>
#include <memory_resource>
#include <optional>
#include <vector>

namespace h2park::server {

/// Thread: the worker's.
class Freezing {
 public:
  /// What connections have little in common with each other share no dictionary: it would be twice as long,
  /// and so would be what refers to it.
  enum class Kind : std::uint8_t { kPlain, kTls };

  /// `slots` null: never freezes. Lifetime: all references outlive it.
  Freezing(const ParkingOptions& options, Tickets& tickets, Deadlines& deadlines, TimeSource& time,
           stats::ThreadCounters& counters, freezer::Slots* slots);

  /// What images are compressed against; freezing begins once there is one.
  /// Errors: no memory for the packer.
  Result<> use(Kind kind, freezer::Dictionary::Ref dictionary);
  /// None of that kind is frozen until the next use().
  void pause(Kind kind) { dictionaries_[static_cast<std::size_t>(kind)] = {}; }
  /// From sample connections of one kind.
  Result<freezer::Dictionary::Ref> build_dictionary(Kind kind,
                                                    std::span<freezer::SlotHeap* const> samples) const;
  bool enabled() const { return slots_ != nullptr && options_.freeze_after.has_value(); }

  /// Memory for one connection: a slot, or the heap.
  std::pmr::memory_resource* take_memory();
  /// Memory for a connection that is not to be frozen.
  std::pmr::memory_resource* heap() { return &heap_; }
  /// Requires: everything in it was destroyed. Blocks that are left are a bug: logged, the slot is not used
  /// again.
  void give_back_memory(std::pmr::memory_resource* memory);
  /// The heap in the connection's slot; null if it lives on the C heap.
  freezer::SlotHeap* slot_of(const Ticket& ticket) const;

  /// `pinned`: not to be frozen this time.
  void parked(std::uint32_t index, bool pinned);
  void woken(std::uint32_t index);

  /// Freezes a few of those that have been parked long enough.
  void freeze_some();
  /// After all that was frozen in a turn.
  void end_turn();
  /// When it has one to look at.
  TimePoint next() const { return schedule_.next(); }

  /// After a wake for the connection's own business, an event every half minute, say: at once, if it is
  /// parked again and nothing will wake it before its delay is over. Else a fleet's events would leave it
  /// resident for a while.
  void freeze_again(Ticket& ticket);
  /// At once. Requires: parked, not frozen, in a slot. Without memory for the image it stays parked.
  void freeze(Ticket& ticket);
  bool frozen(const Ticket& ticket) const { return static_cast<bool>(ticket.image); }
  stats::Depth depth_of(const Ticket& ticket) const {
    if (!ticket.parked) return stats::Depth::kActive;
    return frozen(ticket) ? stats::Depth::kFrozen : stats::Depth::kParked;
  }
  /// Makes the connection resident. False: its image is damaged; the connection is lost and its slot is free
  /// again.
  bool thaw(Ticket& ticket);
  /// What a connection was counted as when it was frozen last.
  Account account_of(std::uint32_t index) const { return accounts_[index]; }

 private:
  // A freeze takes some 5 to 20 us: so many delay a request by about a tenth of a millisecond at most.
  static constexpr int kBatch = 8;
  // Of those that were awake meanwhile and only have to be asked again later.
  static constexpr int kMostLooks = 64;

  ShortTime now() const { return deadlines_.times().of_past(time_.now()); }
  std::uint32_t delay_ms(const Ticket& ticket) const;
  bool packs(const Ticket& ticket) const;
  void look_at(std::uint32_t index, ShortTime when);
  bool make_room_for_account(std::uint32_t index);
  const freezer::Dictionary::Ref& dictionary_of(const Ticket& ticket) const;

  // constant after construction
  const ParkingOptions& options_;
  Tickets& tickets_;
  Deadlines& deadlines_;
  TimeSource& time_;
  stats::ThreadCounters& counters_;
  freezer::Slots* const slots_;
  // the worker's thread
  std::vector<Account> accounts_;  // by the ticket's index, as far as there were frozen ones
  PooledHeap heap_;                // of connections without a slot
  std::optional<freezer::Packer> packer_;
  std::array<freezer::Dictionary::Ref, 2> dictionaries_;  // by Kind; null: none of that kind is frozen
  FreezeSchedule schedule_;
};

}  // namespace h2park::server
