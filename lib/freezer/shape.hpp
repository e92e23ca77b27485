// Shape: what slots with the same blocks at the same places have in common, so that only the rest of each
// must be kept.
//
// Connections that were used alike have the same layout, whatever their clients said. A shape is learnt from
// one of them: for each word whether it is a pointer into the slot, and where to, or a known word
// (known_words.hpp); of all others it knows nothing, so no client's text or key stays in it. To freeze a slot
// is then to subtract the shape, and to thaw it to add it again: one pass over the words either way.
//
// What is left, the residual, are the words of the places that vary, of which the shape knows nothing but
// that they held something when it was learnt, and whatever else differs (residual.hpp). Restoring checks
// everything before it believes it.
#pragma once

#include "freezer/known_words.hpp"
#include "freezer/slot_heap.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace h2park::freezer {

/// Thread: one.
class Shape {
 public:
  /// No residual is longer: of what has more, as much text of its own, a dictionary makes less
  /// (flat_slot.hpp), at three times the price.
  static constexpr std::size_t kMostResidual = 192;

  /// Requires: settled.
  static std::unique_ptr<Shape> learn(const SlotHeap& heap, const KnownWords& known);
  /// Of its layout: equal for those that fit.
  std::uint64_t layout_hash() const { return layout_hash_; }
  bool fits(const SlotHeap& heap) const;

  /// Writes what is left of the slot, which is not changed. Returns its length; nothing: `residual` is too
  /// short. Requires: fits(heap), which is settled. Under AddressSanitizer all of the slot may be read
  /// afterwards.
  std::optional<std::size_t> subtract(const SlotHeap& heap,
                                      std::span<std::byte, kMostResidual> residual) const;
  /// Requires: `slot` is all zero, and the one from which the residual was made.
  /// Errors: null when it was not made by subtract(); the slot may then be half-written.
  SlotHeap* add(std::span<const std::byte> residual, void* slot) const;

 private:
  Shape() = default;

  static constexpr std::size_t kWords = kSlotBytes / sizeof(std::uint64_t);
  static constexpr std::size_t kPageWords = 4096 / sizeof(std::uint64_t);

  // By word: its value, relative to the slot's address where the mask has all bits set, elsewhere none.
  // Up to the end of the highest block, a multiple of 8.
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> pointers_;
  std::vector<std::uint16_t> varying_;  // places, rising
  std::bitset<kWords> varies_;          // the same
  std::array<bool, kWords / kPageWords> page_has_content_{};
  std::size_t first_pages_ = 0;  // so many have, without a gap
  std::uint64_t layout_hash_ = 0;
};

}  // namespace h2park::freezer
