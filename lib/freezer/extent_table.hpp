// ExtentTable: the blocks and holes of a slot, numbered so that a pointer can be written as what it points
// to.
#pragma once

#include "freezer/slot_heap.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace h2park::freezer {

/// Thread: one per thread, reused.
class ExtentTable {
 public:
  /// All blocks and holes of a settled heap, in address order. The hole behind the last block is not one of
  /// listed().
  void read(const SlotHeap& heap);

  /// From what encode_extent() made of listed() elsewhere. False: these are no slot's extents.
  bool read(std::span<const std::byte> codes);
  static constexpr std::size_t kCodeBytes = 2;
  void write(std::span<std::byte> codes) const;

  std::span<const Extent> listed() const { return {extents_.data(), listed_}; }
  /// The blocks of a kind, in address order, as indices into listed().
  std::span<const std::uint16_t> of_kind(Extent::Kind kind) const;
  const Extent& operator[](std::size_t index) const { return extents_[index]; }
  /// Granules of all blocks.
  std::size_t block_granules() const { return block_granules_; }

  // ---- words that point into the slot
  static constexpr std::uint64_t kTag = 0xA5F1;  // no address of user space has these high bits
  static constexpr bool tagged(std::uint64_t word) { return word >> 48 == kTag; }

  /// The tagged word for `offset` in the slot, held by a word of the extent `own`. Requires: offset <
  /// kSlotBytes.
  std::uint64_t encode(std::size_t offset, std::size_t own) const;
  /// The offset again. Null: no word that encode() makes for this table.
  std::optional<std::size_t> decode(std::uint64_t word, std::size_t own) const;

 private:
  // How encode() says where a pointer leads. The first three are Extent::Kind.
  enum Target : std::uint64_t { kHeader = 3, kSelf = 4 };

  void add(Extent extent);
  void finish();

  std::array<Extent, kGranules> extents_;
  std::size_t count_ = 0;
  std::size_t listed_ = 0;
  std::size_t block_granules_ = 0;
  std::array<std::array<std::uint16_t, kGranules>, 3> by_kind_;
  std::array<std::uint16_t, 3> kind_counts_{};
  std::array<std::uint16_t, kGranules> number_;  // of each extent among those of its kind
  std::array<std::uint16_t, kGranules> owner_;   // of each granule behind the header: index into extents_
};

}  // namespace h2park::freezer
