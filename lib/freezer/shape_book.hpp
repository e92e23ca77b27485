// ShapeBook: the shapes that a packer has learnt, and which of them are in use.
//
// 1. A layout is learnt when it has been seen a few times, so that a crowd of clients that are all different
//    costs no memory.
// 2. When there is no room for another one, the one that was not used for longest and that no image needs has
//    to go.
#pragma once

#include "freezer/shape.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace h2park::freezer {

/// Thread: one.
class ShapeBook {
 public:
  /// Some 25 KiB each, once learnt.
  static constexpr std::size_t kMost = 8;
  /// So many slots with a layout are packed the other way before it is learnt.
  static constexpr unsigned kSights = 8;

  static constexpr std::uint8_t kNone = 0xFF;

  /// The number of the shape that fits; kNone: there is none (yet). Requires: settled.
  std::uint8_t find(const SlotHeap& heap, const KnownWords& known);
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
    std::uint64_t used = 0;  // when, in calls of find()
  };
  struct Sight {
    std::uint64_t layout_hash = 0;
    unsigned count = 0;
  };

  bool seen_often(std::uint64_t layout_hash);
  Entry* place_for_another();

  std::array<Entry, kMost> entries_;
  std::array<Sight, 64> sights_;  // by hash
  std::uint64_t calls_ = 0;
};

}  // namespace h2park::freezer
