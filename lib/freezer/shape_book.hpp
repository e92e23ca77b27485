// ShapeBook: the shapes that a packer has learnt, and which of them are in use.
//
// 1. A layout is learnt when it has been seen a few times, so that a crowd of clients that are all different
//    costs no memory.
// 2. It may be learnt again: slots of one layout may differ in which of their words vary, as those of
//    connections that have and have not answered since they were opened.
// 3. When there is no room for another one, the one that was not used for longest and that no image needs has
//    to go.
#pragma once

#include "freezer/shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace h2park::freezer {

/// Thread: one.
class ShapeBook {
 public:
  /// Some 25 KiB each, once learnt.
  static constexpr std::size_t kMost = 8;
  /// So many slots with a layout are packed the other way before it is learnt.
  static constexpr unsigned kSights = 8;

  struct Fit {
    std::uint8_t number;   ///< of the shape
    std::size_t residual;  ///< bytes written
  };
  /// Writes what is left of the slot without a shape that fits. Nothing: there is none (yet).
  /// Requires: settled.
  std::optional<Fit> subtract(const SlotHeap& heap, const KnownWords& known,
                              std::span<std::byte, Shape::kMostResidual> residual);
  /// Null: there is none of that number.
  const Shape* at(std::uint8_t number) const;

  /// An image needs the shape, until drop(). Requires: at(number).
  void hold(std::uint8_t number) { ++entries_[number].images; }
  void drop(std::uint8_t number) { --entries_[number].images; }

  /// How many are known.
  std::size_t count() const;

 private:
  struct Entry {
    std::unique_ptr<Shape> shape;
    std::uint32_t images = 0;
    std::uint64_t used = 0;  // when, in calls of subtract()
  };
  struct Sight {
    std::uint64_t layout_hash = 0;
    unsigned count = 0;
  };

  std::optional<Fit> subtract(Entry& entry, const SlotHeap& heap,
                              std::span<std::byte, Shape::kMostResidual> residual);
  bool seen_often(std::uint64_t layout_hash);
  Entry* place_for_another();

  std::array<Entry, kMost> entries_;
  std::uint8_t latest_ = 0;       // the entry that fitted last: the next slot is likely to be alike
  std::array<Sight, 64> sights_;  // of layouts for which no shape was good enough, by hash
  std::uint64_t calls_ = 0;
};

}  // namespace h2park::freezer
