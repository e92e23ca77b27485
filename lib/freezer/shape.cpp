#include "freezer/shape.hpp"

#include "freezer/poison.hpp"
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

// A gap that goes on.
constexpr std::size_t kMore = 255;
// The longest that one word can become: its gap, which bytes it has, and these.
constexpr std::size_t kMostOfOne = kSlotBytes / sizeof(Word) / kMore + 1 + 1 + sizeof(Word);

class ResidualWriter {
 public:
  explicit ResidualWriter(std::span<std::byte> out) : out_(out) {}

  /// Requires: `place` rises, `word` is not 0. False: there is no room.
  bool add(std::size_t place, Word word) {
    if (size_ + kMostOfOne > out_.size()) return false;
    std::size_t gap = place - next_;
    for (; gap >= kMore; gap -= kMore) out_[size_++] = std::byte{kMore};
    out_[size_++] = static_cast<std::byte>(gap);
    std::byte& present = out_[size_++] = std::byte{0};
    for (unsigned i = 0; word != 0; ++i, word >>= 8) {
      if ((word & 0xFF) == 0) continue;
      present |= std::byte{1} << i;
      out_[size_++] = static_cast<std::byte>(word & 0xFF);
    }
    next_ = place + 1;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  std::span<std::byte> out_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
};

class ResidualReader {
 public:
  explicit ResidualReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }
  /// False: these bytes are no residual's.
  bool next(std::size_t& place, Word& word) {
    std::size_t gap = kMore;
    while (gap == kMore) {
      gap = take();
      next_ += gap;
    }
    place = next_++;
    word = 0;
    const std::size_t present = take();
    for (unsigned i = 0; i < sizeof(Word); ++i) {
      if ((present >> i & 1) != 0) word |= Word{take()} << 8 * i;
    }
    return !short_;
  }

 private:
  std::size_t take() {
    short_ = short_ || bytes_.empty();
    if (short_) return 0;
    const auto byte = std::to_integer<std::size_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
  bool short_ = false;
};

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
    } else if (i < books || known.has(word)) {
      shape->words_[i] = word;
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
  for (std::size_t i = 0; i < words_.size(); i += kLine) {
    if (!subtract_line(&words[i], &words_[i], &pointers_[i], reinterpret_cast<std::uintptr_t>(&heap),
                       left.data())) {
      continue;
    }
    for (std::size_t j = 0; j < kLine; ++j) {
      if (left[j] != 0 && !writer.add(i + j, left[j])) return std::nullopt;
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
  for (ResidualReader reader(residual); !reader.done();) {
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
