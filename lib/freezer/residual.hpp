// What is left of a slot without its shape (shape.hpp), as bytes.
//
// 1. The words of the places that vary: four bits for the length of each, then all their bytes.
// 2. Each other word that differs: how many do not, since the last (a byte; 255 means that more follows), its
//    length (a byte), its bytes.
#pragma once

#include "freezer/granule_map.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace h2park::freezer {

namespace residual {

// How a word is written: so many bytes, up to its highest that is not zero, or those of its complement, which
// is shorter for negative numbers. Four bits say which.
inline constexpr unsigned kComplement = sizeof(std::uint64_t);  // more than that

constexpr unsigned bytes_in(std::uint64_t word) {
  return static_cast<unsigned>(std::bit_width(word) + 7) / 8;
}

constexpr unsigned code_of(std::uint64_t word) {
  const unsigned complement = std::max(bytes_in(~word), 1U);
  return complement < bytes_in(word) ? kComplement + complement : bytes_in(word);
}
constexpr unsigned length_of(unsigned code) { return code > kComplement ? code - kComplement : code; }

// A gap that goes on.
inline constexpr std::size_t kMore = 255;
// The longest that one word outside of the places that vary becomes: its gap, its code and its bytes.
inline constexpr std::size_t kMostOfOne =
    kSlotBytes / sizeof(std::uint64_t) / kMore + 1 + 1 + sizeof(std::uint64_t);

}  // namespace residual

/// Thread: one.
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
      const std::uint64_t word = words(i);
      const unsigned code = residual::code_of(word);
      if (size_ + residual::length_of(code) > out_.size()) return false;
      out_[i / 2] |= static_cast<std::byte>(code << 4 * (i % 2));
      put(word, code);
    }
    return true;
  }
  /// Requires: `place` rises, `word` is not 0. False: there is no room.
  bool add(std::size_t place, std::uint64_t word) {
    if (size_ + residual::kMostOfOne > out_.size()) return false;
    std::size_t gap = place - next_;
    for (; gap >= residual::kMore; gap -= residual::kMore) out_[size_++] = std::byte{residual::kMore};
    out_[size_++] = static_cast<std::byte>(gap);
    const unsigned code = residual::code_of(word);
    out_[size_++] = static_cast<std::byte>(code);
    put(word, code);
    next_ = place + 1;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  void put(std::uint64_t word, unsigned code) {
    if (code > residual::kComplement) word = ~word;
    std::memcpy(&out_[size_], &word, residual::length_of(code));
    size_ += residual::length_of(code);
  }

  std::span<std::byte> out_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
};

/// Thread: one.
class ResidualReader {
 public:
  /// `varying`: how many places vary.
  ResidualReader(std::span<const std::byte> bytes, std::size_t varying)
      : codes_(bytes.first(std::min(bytes.size(), (varying + 1) / 2))), bytes_(bytes.subspan(codes_.size())) {
    short_ = codes_.size() < (varying + 1) / 2;
  }

  // Each of these: false: these bytes are no residual's.
  bool next_varying(std::uint64_t& word) {
    if (short_) return false;
    word = take_word(std::to_integer<unsigned>(codes_[at_ / 2]) >> 4 * (at_ % 2) & 15);
    ++at_;
    return !short_;
  }
  bool next(std::size_t& place, std::uint64_t& word) {
    std::size_t gap = residual::kMore;
    while (gap == residual::kMore) {
      gap = take();
      next_ += gap;
    }
    place = next_++;
    word = take_word(static_cast<unsigned>(take()));
    return !short_;
  }
  bool done() const { return bytes_.empty(); }

 private:
  std::uint64_t take_word(unsigned code) {
    const unsigned length = residual::length_of(code);
    short_ = short_ || length > sizeof(std::uint64_t) || length > bytes_.size();
    if (short_) return 0;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
    return code > residual::kComplement ? ~word : word;
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

}  // namespace h2park::freezer
