// What both directions of FlatSlot agree on.
#pragma once

#include "freezer/flat_slot.hpp"

namespace h2park::freezer {

/// Shorter runs of zeros are written as data: a run costs 4 bytes and breaks a match with the dictionary.
inline constexpr std::size_t kLeastZeroRun = 4;

inline constexpr std::array kContentOrder{Extent::Kind::kStructure, Extent::Kind::kText};

struct FlatSlot::Head {
  std::uint16_t extents;
  std::uint16_t data_granules;
  std::uint16_t runs;
  std::uint16_t exceptions;
  std::uint16_t stripped;
  std::uint16_t unused;
  std::uint32_t root;  // offset in the slot; 0: none
  SlotHeap::Overflow overflow;
};

}  // namespace h2park::freezer
