// Image: a frozen slot. One pointer outside, one block on the C heap: checksum (4 bytes), length (2), the
// dictionary's number (1), compressed bytes.
//
// An image may hold secrets: its block is zeroed before it is freed. It keeps its dictionary alive.
// Made and opened by Packer. Thread: one at a time.
#pragma once

#include "freezer/dictionary.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace h2park::freezer {

class Image {
 public:
  /// Empty.
  Image() = default;
  /// Copies `compressed`. Empty if the heap refused. Requires: at most kMostBytes.
  Image(const Dictionary& dictionary, std::span<const std::byte> compressed);
  Image(Image&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Image& operator=(Image&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Image() { reset(); }

  static constexpr std::size_t kMostBytes = 0xFFFF;

  explicit operator bool() const { return block_ != nullptr; }
  void reset();

  /// The checksum is right. Until this is known nothing else in the image may be believed.
  bool intact() const;
  /// Requires: intact().
  const Dictionary* dictionary() const;
  std::span<const std::byte> compressed() const;

  /// What it takes of the C heap, malloc's own 8 bytes included.
  std::size_t heap_bytes() const;
  /// All bytes of the block, for tests that damage one.
  std::span<std::byte> block();

 private:
  std::size_t length() const;
  std::size_t block_bytes() const;
  std::uint32_t checksum() const;

  std::byte* block_ = nullptr;
};

static_assert(sizeof(Image) == sizeof(void*));

}  // namespace h2park::freezer
