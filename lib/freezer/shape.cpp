#include "freezer/shape.hpp"

#include "freezer/poison.hpp"
#include "freezer/residual.hpp"
#include "freezer/slot_pages.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace h2park::freezer {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kLine = 8;  // words that are compared at once

// What every machine of this architecture does with one instruction.
constexpr std::size_t kPair = 2;
using Pair = Word __attribute__((vector_size(kPair * sizeof(Word))));

Pair load(const Word* words) {
  Pair pair;
  std::memcpy(&pair, words, sizeof pair);
  return pair;
}

/// What is left of a line without its shape; false: nothing.
bool subtract_line(const Word* words, const Word* shape, const Word* pointers, Word slot, Word* left) {
  Pair all{};
  for (std::size_t i = 0; i < kLine; i += kPair) {
    const Pair pair = (load(words + i) - (load(pointers + i) & (Pair{} + slot))) ^ load(shape + i);
    std::memcpy(left + i, &pair, sizeof pair);
    all |= pair;
  }
  return (all[0] | all[1]) != 0;
}

void add_line(const Word* shape, const Word* pointers, Word slot, Word* words) {
  for (std::size_t i = 0; i < kLine; i += kPair) {
    const Pair pair = load(shape + i) + (load(pointers + i) & (Pair{} + slot));
    std::memcpy(words + i, &pair, sizeof pair);
  }
}

}  // namespace

std::unique_ptr<Shape> Shape::learn(const SlotHeap& heap, const KnownWords& known) {
  std::unique_ptr<Shape> shape(new Shape);
  const std::size_t bytes = heap.touched_bytes();
  const std::size_t lines = (bytes / sizeof(Word) + kLine - 1) / kLine;
  shape->words_.resize(lines * kLine);
  shape->pointers_.resize(lines * kLine);
  unpoison(&heap, bytes);
  const auto slot = reinterpret_cast<std::uintptr_t>(&heap);
  const auto* words = reinterpret_cast<const Word*>(&heap);
  const std::size_t books = SlotHeap::first_granule() * kGranuleBytes / sizeof(Word);
  for (std::size_t i = 0; i < bytes / sizeof(Word); ++i) {
    const Word word = words[i];
    if (word - slot < kSlotBytes) {
      shape->words_[i] = word - slot;
      shape->pointers_[i] = ~Word{0};
    } else if (word == 0 || i < books || known.has(word)) {
      shape->words_[i] = word;
    } else {
      shape->varying_.push_back(static_cast<std::uint16_t>(i));
      shape->varies_.set(i);
    }
    if (word != 0) shape->page_has_content_[i / kPageWords] = true;
  }
  heap.mark_room();
  const auto& has_content = shape->page_has_content_;
  shape->first_pages_ = static_cast<std::size_t>(std::ranges::find(has_content, false) - has_content.begin());
  shape->layout_hash_ = heap.layout_hash();
  return shape;
}

bool Shape::fits(const SlotHeap& heap) const {
  const auto mine = SlotHeap::layout_in(std::as_bytes(std::span(words_)));
  return heap.touched_bytes() <= words_.size() * sizeof(Word) && std::ranges::equal(mine, heap.layout());
}

std::optional<std::size_t> Shape::subtract(const SlotHeap& heap,
                                           std::span<std::byte, kMostResidual> residual) const {
  unpoison(&heap, words_.size() * sizeof(Word));
  const auto* words = reinterpret_cast<const Word*>(&heap);
  std::array<Word, kLine> left;
  ResidualWriter writer(residual);
  if (!writer.add_varying([&](std::size_t i) { return words[varying_[i]]; }, varying_.size())) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < words_.size(); i += kLine) {
    if (!subtract_line(&words[i], &words_[i], &pointers_[i], reinterpret_cast<std::uintptr_t>(&heap),
                       left.data())) {
      continue;
    }
    for (std::size_t j = 0; j < kLine; ++j) {
      if (left[j] == 0 || varies_.test(i + j)) continue;
      if (!writer.add(i + j, left[j])) return std::nullopt;
    }
  }
  return writer.size();
}

SlotHeap* Shape::add(std::span<const std::byte> residual, void* slot) const {
  unpoison(slot, words_.size() * sizeof(Word));
  populate_pages(slot, first_pages_ * kPageWords * sizeof(Word));
  auto* words = static_cast<Word*>(slot);
  for (std::size_t i = 0; i < words_.size(); i += kLine) {
    if (!page_has_content_[i / kPageWords]) continue;  // zero already, and perhaps not there yet
    add_line(&words_[i], &pointers_[i], reinterpret_cast<std::uintptr_t>(slot), &words[i]);
  }
  ResidualReader reader(residual, varying_.size());
  for (const std::uint16_t place : varying_) {
    if (!reader.next_varying(words[place])) return nullptr;
  }
  while (!reader.done()) {
    std::size_t place;
    Word left;
    // The first word is the same in all slots.
    if (!reader.next(place, left) || place == 0 || place >= words_.size()) return nullptr;
    words[place] = (words_[place] ^ left) + (pointers_[place] & reinterpret_cast<std::uintptr_t>(slot));
  }
  auto* heap = std::launder(static_cast<SlotHeap*>(slot));
  if (!fits(*heap)) return nullptr;
  heap->mark_room();
  return heap;
}

}  // namespace h2park::freezer
