// KnownWords: what samples of slots have in common, word by word: addresses of code and of the server's own
// objects, sizes, limits. No client can have put it there, so it may be remembered.
#pragma once

#include "freezer/slot_heap.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace h2park::freezer {

/// Thread: any; constant.
class KnownWords {
 public:
  KnownWords() = default;
  /// The words, zero and pointers into the slot aside, that at least half of the samples hold.
  /// Requires: settled heaps of synthetic sessions, never a peer's.
  explicit KnownWords(std::span<SlotHeap* const> samples);

  bool has(std::uint64_t word) const;
  bool empty() const { return words_.empty(); }

 private:
  std::vector<std::uint64_t> words_;  // sorted
};

}  // namespace h2park::freezer
