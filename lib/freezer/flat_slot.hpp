// Flattens a slot: from its live blocks to a run of bytes that looks alike for clients that are alike, and
// back.
//
// 1. The head: how many of what follows, the overflow's figures, the root.
// 2. The extents, blocks and holes, in address order.
// 3. The blocks' contents, structures first, then text, without runs of 64 zero bytes and more.
// 4. The lengths of data and zero runs, in turn.
// 5. The exceptions.
// 6. The blocks that a filter has stripped (block_filter.hpp).
//
// A word that points into the slot is replaced by what it points to: a tag, the kind of the extent and its
// number among those of its kind, and the offset in it; for a pointer into the very block that holds it, only
// the offset. So a longer cookie changes no pointer to a structure, and the self-pointers of two blocks are
// equal. The tag is no address of user space. A data word that happens to begin with it stays as it is, and
// its position is listed as an exception; a data word that happens to be an address in the slot is translated
// there and back, exactly. The slot has the same address when it is restored.
//
// Restoring checks everything before it believes it: wrong input is an error, whatever it is.
#pragma once

#include "freezer/block_filter.hpp"
#include "freezer/extent_table.hpp"
#include "freezer/slot_heap.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace h2park::freezer {

/// No flattened slot is longer: at worst every granule is a block of its own and every word an exception. (A
/// run of zeros is shorter than the zeros.)
inline constexpr std::size_t kMostFlatBytes = std::size_t{45} * 1024;
/// More are left as they are.
inline constexpr std::size_t kMostStripped = 16;
static_assert(kMostFlatBytes >
              kSlotBytes + kGranules * ExtentTable::kCodeBytes + kSlotBytes / 8 * 2 + kMostStripped * 2);

/// The scratch memory for both directions. Thread: one per thread, reused.
class FlatSlot {
 public:
  /// Settles the heap and flattens it. The result is valid until the next call. It is as secret as the slot:
  /// clear(). Under AddressSanitizer the slot's blocks are unpoisoned to their ends.
  std::span<const std::byte> flatten(SlotHeap& heap);
  /// From now on, both ways. Null: none. Lifetime: outlives its use here.
  void set_filter(BlockFilter* filter) { filter_ = filter; }
  /// Zeroes what the last flatten() left.
  void clear();

  /// Requires: `slot` is aligned to kSlotBytes and all zero.
  /// Errors: null when `flat` was not made by flatten(); the slot may then be half-written.
  SlotHeap* restore(std::span<const std::byte> flat, void* slot);

 private:
  struct Head;
  struct Parts;

  // flattening
  void write_contents(const SlotHeap& heap);
  const std::byte* stripped(const std::byte* block, std::size_t bytes, std::size_t index);
  void write_granule(const std::byte* granule, std::size_t own, std::uintptr_t slot);
  std::uint64_t translated(std::uint64_t word, std::size_t own, std::uintptr_t slot);
  void end_zero_run();
  std::size_t position() const { return size_ - contents_begin_; }

  // restoring
  static bool split(std::span<const std::byte> flat, Parts& parts);
  bool read_contents(const Parts& parts, std::byte* slot) const;
  bool derive_stripped(const Parts& parts, std::byte* slot) const;

  ExtentTable extents_;
  std::array<std::uint16_t, kGranules> runs_;             // granules: data, zero, data, ...
  std::array<std::uint16_t, kSlotBytes / 8> exceptions_;  // positions of words in the contents
  std::array<std::uint16_t, kMostStripped> stripped_;     // extents
  std::array<std::byte, BlockFilter::kMostBytes> copy_;   // of a block that is being stripped
  BlockFilter* filter_ = nullptr;
  std::size_t run_count_ = 0;
  std::size_t exception_count_ = 0;
  std::size_t stripped_count_ = 0;
  std::size_t data_run_ = 0;  // granules of data since the last zero run
  std::size_t zero_run_ = 0;  // granules of zeros not written yet
  std::size_t contents_begin_ = 0;
  std::size_t size_ = 0;
  alignas(16) std::array<std::byte, kMostFlatBytes> flat_;
};

}  // namespace h2park::freezer
