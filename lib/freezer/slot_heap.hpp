// SlotHeap: the allocator inside a slot. The object lives at the slot's start and manages the rest of it.
//
// 1. The slot is cut into granules of 16 bytes. Three bit maps are the only books: which granules are used,
//    where blocks start, which blocks hold text. Blocks have no headers.
// 2. A freed block is zeroed at once: it holds no secret and packs to nothing. Small ones wait in lists by
//    size for the next block of that size. Before the used part of the slot would grow, and before the slot
//    is packed, the lists are emptied into the maps, where neighbours are one hole again.
// 3. A new block takes the lowest hole that is large enough. So thousands of requests leave a slot as compact
//    as one.
// 4. What does not fit goes to the thread's heap and is counted. Such blocks keep their addresses, and the slot
//    keeps its own, so a slot that overflowed can be frozen all the same; what overflowed stays resident.
// 5. Blocks that look like text (alignment 1, or a size that is no multiple of 8) are remembered as such:
//    text differs from client to client, structures hardly do, so an image keeps them apart (flat_slot.hpp).
//
// A wrong or double release ends the process, in release builds too: going on would hand one client's memory
// to another. Thread: one at a time, the connection's.
#pragma once

#include "freezer/granule_map.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

namespace h2park::freezer {

/// A stretch of granules: a block, or a hole between blocks.
struct Extent {
  enum class Kind : std::uint8_t { kStructure, kText, kHole };

  std::uint16_t first;
  std::uint16_t granules;
  Kind kind;

  friend bool operator==(const Extent&, const Extent&) = default;
};

class SlotHeap final : public std::pmr::memory_resource {
 public:
  /// What overflowed and lives on the thread's heap.
  struct Overflow {
    std::uint32_t blocks = 0;
    std::uint32_t bytes = 0;

    friend bool operator==(const Overflow&, const Overflow&) = default;
  };

  /// Makes the heap of an empty slot. Requires: `slot` is aligned to kSlotBytes and all zero.
  static SlotHeap* create(void* slot);
  /// Makes a heap with blocks at the given extents (in address order, from first_granule() on, to the end of
  /// the slot); their contents stay as they are.
  static SlotHeap* recreate(void* slot, std::span<const Extent> extents, Overflow overflow, void* root);
  /// The slot that an address would be in. Requires: the address is in a slot (Slots::contains).
  static SlotHeap* of(const void* address);

  SlotHeap(const SlotHeap&) = delete;
  SlotHeap& operator=(const SlotHeap&) = delete;

  // ---- for libraries in C. Blocks are aligned to 16 and come zeroed; their sizes are remembered.
  /// Null when neither the slot nor the heap has room.
  void* obtain(std::size_t bytes) noexcept;
  /// Null when the slot has no room: for allocators whose other blocks are not released through this object.
  void* obtain_inside(std::size_t bytes) noexcept;
  /// Null is fine.
  void release(void* block) noexcept;
  /// As realloc, but never frees: 0 bytes counts as 1. What a shorter block gives up is zeroed. On failure
  /// null, and `block` stays.
  void* resize(void* block, std::size_t bytes) noexcept;
  /// Likewise, but null when the slot has no room for it, as obtain_inside(). Requires: `block` is in the
  /// slot.
  void* resize_inside(void* block, std::size_t bytes) noexcept;
  /// Copies `block`, as far as it reaches, to `to`, which has `bytes`, and releases it. Requires: `block` is
  /// in the slot.
  void move_out(void* block, void* to, std::size_t bytes) noexcept { move(block, to, bytes); }
  /// How much fits into `block`: at least what was asked for.
  std::size_t capacity(const void* block) const noexcept;

  // ---- figures
  /// Blocks not released yet, on the C heap too. A connection that has ended leaves none.
  std::size_t live_blocks() const noexcept { return live_blocks_ + overflow_.blocks; }
  /// Bytes of live blocks inside the slot, rounded to granules.
  std::size_t live_bytes() const noexcept { return live_granules_ * kGranuleBytes; }
  const Overflow& overflow() const noexcept { return overflow_; }
  /// How many blocks have overflowed in this process, of all slots ever. Thread: any.
  static std::uint64_t overflowed_blocks() noexcept;
  /// From the slot's start to the end of the highest block that ever was: what may have touched pages.
  std::size_t touched_bytes() const noexcept { return high_water_ * kGranuleBytes; }
  bool contains(const void* address) const noexcept;

  /// What the owner wants to find again after a thaw, as its connection object. Must be in the slot if that
  /// is frozen.
  void* root() const noexcept { return root_; }
  void set_root(void* root) noexcept { root_ = root; }

  // ---- for freezing
  /// Empties the lists of freed blocks into the maps.
  void settle() noexcept;
  /// The extent that begins at `granule`. Requires: settle(), and an extent begins there.
  Extent extent_at(std::size_t granule) const noexcept;
  static std::size_t first_granule();
  /// The books: equal for two slots with blocks of the same kinds at the same places. Requires: settle().
  std::span<const std::byte> layout() const noexcept { return layout_in(std::as_bytes(std::span(this, 1))); }
  /// The same in a copy of a slot, or of its beginning.
  static std::span<const std::byte> layout_in(std::span<const std::byte> slot) noexcept {
    return slot.subspan(sizeof(std::pmr::memory_resource), 3 * sizeof(GranuleMap));
  }
  std::uint64_t layout_hash() const noexcept;
  /// For AddressSanitizer: what is no block may not be touched. Requires: settle().
  void mark_room() const noexcept;

 private:
  SlotHeap() = default;
  ~SlotHeap() override = default;  // never run: a slot's pages are discarded as they are

  // std::pmr::memory_resource
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  void* obtain_inside(std::size_t bytes, std::size_t alignment, bool text) noexcept;
  void* obtain_outside(std::size_t bytes, std::size_t alignment) noexcept;
  void release_inside(void* block) noexcept;
  void release_outside(void* block) noexcept;
  void* resize_in_place(void* block, std::size_t bytes) noexcept;
  void* move(void* from, void* to, std::size_t bytes) noexcept;
  void* adopt(std::size_t first, std::size_t granules, std::size_t bytes, bool text) noexcept;
  std::size_t find_room(std::size_t granules, std::size_t alignment) noexcept;
  std::size_t find_hole(std::size_t granules, std::size_t alignment) noexcept;
  void free_granules(std::size_t first, std::size_t granules) noexcept;
  std::size_t block_end(std::size_t first) const noexcept;
  std::size_t index_of(const void* address) const noexcept;
  std::size_t start_of(const void* block) const noexcept;
  std::byte* at(std::size_t granule) const noexcept;

  // Blocks of up to 1 KiB are recycled in lists; larger ones are few.
  static constexpr std::size_t kLists = 65;
  // A full slot is searched again when so many blocks wait in lists: each search empties them.
  static constexpr std::size_t kWorthSettling = 16;

  // First of all members: layout_in().
  GranuleMap used_;    // granules of blocks, listed ones included
  GranuleMap starts_;  // first granules of live blocks
  GranuleMap marks_;   // first granules of live text blocks and of listed blocks: with starts_ every block's
                       // beginning
  std::array<std::uint16_t, kLists> lists_{};  // first granule of a listed block of that many granules, or 0
  std::uint16_t listed_ = 0;                   // blocks in lists_
  std::uint16_t lowest_hole_ = 0;              // no granule below it is unused
  std::uint16_t high_water_ = 0;
  std::uint16_t live_blocks_ = 0;
  std::uint16_t live_granules_ = 0;
  std::uint16_t refused_ = kGranules + 1;  // since granules were freed last there was no room for so many
  Overflow overflow_;
  void* root_ = nullptr;
};

}  // namespace h2park::freezer
