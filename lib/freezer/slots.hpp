// Slots: the process's reservation of address space, cut into slots, one for each connection.
//
// Reserved address space costs nothing. A slot's pages come when they are touched, and go when the connection
// freezes or ends. The lowest free slot is taken first, so that the page tables stay short. A few empty slots
// are kept warm, with their pages, so that a short-lived connection costs no system call and no page faults.
//
// A connection that has ended must leave no block in its slot. One that does has a bug: something may still
// point there, so the slot is quarantined: never used again, never discarded, and reported.
//
// Thread: any; a mutex guards what is shared. The heap in a slot is its connection's thread's.
#pragma once

#include "base/error.hpp"
#include "freezer/slot_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace h2park::freezer {

class Slots {
 public:
  /// Empty slots that keep their pages: at most 512 KiB in all, usually a third of that.
  static constexpr std::size_t kMostWarm = 16;

  /// Room for `count` slots. `most_warm`: how many empty ones keep their pages.
  /// Errors: the kernel refuses the address space (strict overcommit, RLIMIT_AS): the server then does
  /// without.
  static Result<Slots> reserve(std::size_t count, std::size_t most_warm = kMostWarm);
  Slots(Slots&& other) noexcept;
  Slots& operator=(Slots&&) = delete;
  /// Requires: nothing points into any slot but quarantined ones. If these still hold blocks the reservation
  /// stays.
  ~Slots();

  /// An empty heap. Null: all slots are taken.
  SlotHeap* take();
  /// Returns how many blocks were left. 0: the slot can be taken again. Otherwise it is quarantined.
  [[nodiscard]] std::size_t give_back(SlotHeap& heap);
  /// Gives the pages of empty slots back to the kernel.
  void trim();
  /// For a connection whose image could not be thawed: its blocks are gone.
  /// Requires: the slot is taken and discarded (Packer's doing).
  void give_back_frozen(std::size_t index);

  // ---- names for slots that are shorter than pointers. Below count().
  std::size_t count() const { return count_; }
  std::size_t index_of(const SlotHeap& heap) const;
  /// Where the slot is, be it frozen or not.
  void* address(std::size_t index) const { return begin_ + index * kSlotBytes; }
  /// Whether an address is in any slot. Then SlotHeap::of() finds which.
  bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin_) <
           count_ * kSlotBytes;
  }

  std::size_t taken() const;
  std::size_t quarantined() const;
  /// What quarantined slots still hold. Requires: nobody uses them meanwhile.
  std::size_t quarantined_blocks() const;

 private:
  struct Shared;

  Slots(std::byte* mapping, std::size_t mapped, std::size_t count, std::size_t most_warm);
  void put_back(std::size_t index);

  // constant after construction
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* begin_ = nullptr;
  std::size_t count_ = 0;

  std::unique_ptr<Shared> shared_;
};

}  // namespace h2park::freezer
