#include "freezer/known_words.hpp"

#include "freezer/poison.hpp"

#include <algorithm>
#include <map>

namespace h2park::freezer {
namespace {

/// Each word of the slot's blocks once.
std::vector<std::uint64_t> words_of(const SlotHeap& heap) {
  const std::size_t bytes = heap.touched_bytes();
  unpoison(&heap, bytes);
  const auto* words = reinterpret_cast<const std::uint64_t*>(&heap);
  std::vector<std::uint64_t> found(words + SlotHeap::first_granule() * kGranuleBytes / sizeof *words,
                                   words + bytes / sizeof *words);
  heap.mark_room();
  std::erase_if(found, [&](std::uint64_t word) {
    return word == 0 || word - reinterpret_cast<std::uintptr_t>(&heap) < kSlotBytes;
  });
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

}  // namespace

KnownWords::KnownWords(std::span<SlotHeap* const> samples) {
  std::map<std::uint64_t, std::size_t> holders;
  for (const SlotHeap* sample : samples) {
    for (const std::uint64_t word : words_of(*sample)) ++holders[word];
  }
  for (const auto& [word, count] : holders) {
    if (2 * count >= samples.size()) words_.push_back(word);
  }
}

bool KnownWords::has(std::uint64_t word) const { return std::ranges::binary_search(words_, word); }

}  // namespace h2park::freezer
