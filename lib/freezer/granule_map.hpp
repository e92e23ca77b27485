// GranuleMap: one bit per granule of a slot. The slot's allocator keeps its books in a few of these, so that
// its state is a function of which blocks live where, and not of the order in which others came and went.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace h2park::freezer {

/// The size of a slot; a power of two, so that masking a pointer finds its slot.
///
/// Why 32 KiB: an HTTP/2 connection over TLS is what has to fit. Its OpenSSL objects take 15 KiB in 43
/// blocks, its nghttp2 session 10 KiB (the outbound frame buffer is the thread's), its connection object,
/// session and a few streams with their handlers' frames 2 to 4, our own books 1. Half of it would hold h2c,
/// but not TLS; twice as much would hold a few more streams at once, which go to the heap while they last,
/// and would double what the page tables of a frozen connection cost: a page of 512 entries stays for every
/// 64 slots, 64 bytes each.
inline constexpr std::size_t kSlotBytes = std::size_t{32} * 1024;
/// The unit of allocation: what malloc promises, alignof(std::max_align_t).
inline constexpr std::size_t kGranuleBytes = 16;
inline constexpr std::size_t kGranules = kSlotBytes / kGranuleBytes;

static_assert(std::has_single_bit(kSlotBytes));
static_assert(kGranuleBytes >= alignof(std::max_align_t));

constexpr std::size_t granules_for(std::size_t bytes) {
  return bytes == 0 ? 1 : (bytes + kGranuleBytes - 1) / kGranuleBytes;
}

class GranuleMap {
 public:
  bool test(std::size_t granule) const { return (words_[granule / 64] >> (granule % 64) & 1) != 0; }
  void set(std::size_t granule) { words_[granule / 64] |= bit(granule); }
  void clear(std::size_t granule) { words_[granule / 64] &= ~bit(granule); }

  void set(std::size_t first, std::size_t count) {
    over(first, count, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
  }
  void clear(std::size_t first, std::size_t count) {
    over(first, count, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
  }

  /// The first granule at or after `from` whose bit is set (clear), or kGranules.
  std::size_t next_set(std::size_t from) const {
    return next(from, [this](std::size_t word) { return words_[word]; });
  }
  std::size_t next_clear(std::size_t from) const {
    return next(from, [this](std::size_t word) { return ~words_[word]; });
  }
  /// Likewise for any function of the word's index, so that several maps can be searched at once.
  template <class Words>
  static std::size_t next(std::size_t from, Words words) {
    if (from >= kGranules) return kGranules;
    std::size_t word = from / 64;
    std::uint64_t bits = words(word) & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      if (++word == kWords) return kGranules;
      bits = words(word);
    }
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  }

  std::uint64_t word(std::size_t index) const { return words_[index]; }

 private:
  static constexpr std::size_t kWords = kGranules / 64;

  static constexpr std::uint64_t bit(std::size_t granule) { return std::uint64_t{1} << (granule % 64); }

  template <class Change>
  void over(std::size_t first, std::size_t count, Change change) {
    while (count != 0) {
      const std::size_t shift = first % 64;
      const std::size_t here = std::min(count, 64 - shift);
      const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
      change(words_[first / 64], ones << shift);
      first += here;
      count -= here;
    }
  }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace h2park::freezer
