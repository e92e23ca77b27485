#include "freezer/shape.hpp"

#include "freezer/poison.hpp"
#include "freezer/slot_pages.hpp"

#include <algorithm>
#include <bit>
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

// How a word is written: so many bytes, up to its highest that is not zero, or those of its complement, which
// is shorter for negative numbers. Four bits say which.
constexpr unsigned kComplement = sizeof(Word);  // more than that

unsigned bytes_in(Word word) { return static_cast<unsigned>(std::bit_width(word) + 7) / 8; }

unsigned code_of(Word word) {
  const unsigned complement = std::max(bytes_in(~word), 1U);
  return complement < bytes_in(word) ? kComplement + complement : bytes_in(word);
}
unsigned length_of(unsigned code) { return code > kComplement ? code - kComplement : code; }

// A gap that goes on.
constexpr std::size_t kMore = 255;
// The longest that one word outside of the places that vary becomes: its gap, its code and its bytes.
constexpr std::size_t kMostOfOne = kSlotBytes / sizeof(Word) / kMore + 1 + 1 + sizeof(Word);

class ResidualWriter {
 public:
  explicit ResidualWriter(std::span<std::byte> out) : out_(out) {}

  /// The words of the places that vary, before all others. False: there is no room.
  template <class Words>
  bool add_varying(Words&& words, std::size_t count) {
    size_ = (count + 1) / 2;
    if (size_ > out_.size()) return false;
    std::ranges::fill(out_.first(size_), std::byte{0});
    for (std::size_t i = 0; i < count; ++i) {
      const Word word = words(i);
      const unsigned code = code_of(word);
      if (size_ + length_of(code) > out_.size()) return false;
      out_[i / 2] |= static_cast<std::byte>(code << 4 * (i % 2));
      put(word, code);
    }
    return true;
  }
  /// Requires: `place` rises, `word` is not 0. False: there is no room.
  bool add(std::size_t place, Word word) {
    if (size_ + kMostOfOne > out_.size()) return false;
    std::size_t gap = place - next_;
    for (; gap >= kMore; gap -= kMore) out_[size_++] = std::byte{kMore};
    out_[size_++] = static_cast<std::byte>(gap);
    const unsigned code = code_of(word);
    out_[size_++] = static_cast<std::byte>(code);
    put(word, code);
    next_ = place + 1;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  void put(Word word, unsigned code) {
    if (code > kComplement) word = ~word;
    std::memcpy(&out_[size_], &word, length_of(code));
    size_ += length_of(code);
  }

  std::span<std::byte> out_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
};

class ResidualReader {
 public:
  /// `varying`: how many places vary.
  ResidualReader(std::span<const std::byte> bytes, std::size_t varying)
      : codes_(bytes.first(std::min(bytes.size(), (varying + 1) / 2))), bytes_(bytes.subspan(codes_.size())) {
    short_ = codes_.size() < (varying + 1) / 2;
  }

  // Each of these: false: these bytes are no residual's.
  bool next_varying(Word& word) {
    if (short_) return false;
    word = take_word(std::to_integer<unsigned>(codes_[at_ / 2]) >> 4 * (at_ % 2) & 15);
    ++at_;
    return !short_;
  }
  bool next(std::size_t& place, Word& word) {
    std::size_t gap = kMore;
    while (gap == kMore) {
      gap = take();
      next_ += gap;
    }
    place = next_++;
    word = take_word(static_cast<unsigned>(take()));
    return !short_;
  }
  bool done() const { return bytes_.empty(); }

 private:
  Word take_word(unsigned code) {
    const unsigned length = length_of(code);
    short_ = short_ || length > sizeof(Word) || length > bytes_.size();
    if (short_) return 0;
    Word word = 0;
    std::memcpy(&word, bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
    return code > kComplement ? ~word : word;
  }
  std::size_t take() {
    short_ = short_ || bytes_.empty();
    if (short_) return 0;
    const auto byte = std::to_integer<std::size_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  std::span<const std::byte> codes_;
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
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
