// Image: a frozen slot. One pointer outside, one block in the thread's ImageStore: checksum (4 bytes), length
// (2), the dictionary's number or that there is none (1), packed bytes.
//
// An image may hold secrets: its block is zeroed when it is released, and in no core dump. It keeps its
// dictionary alive. Made and opened by Packer. Lifetime: ends before the Packer's. Thread: the Packer's.
#pragma once

#include "freezer/dictionary.hpp"
#include "freezer/image_store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace h2park::freezer {

class Image {
 public:
  /// What the packed bytes are.
  enum class Form : std::uint8_t {
    kFlat,    ///< a flattened slot, compressed against the dictionary
    kShaped,  ///< a byte for the number of a shape, and what is left of the slot without it
  };

  /// Empty.
  Image() = default;
  /// Copies `packed`. Empty if there is no memory. Requires: at most kMostBytes. `dictionary`: null for
  /// Form::kShaped.
  Image(ImageStore& store, const Dictionary* dictionary, std::span<const std::byte> packed);
  Image(Image&& other) noexcept : block_(std::exchange(other.block_, {})) {}
  Image& operator=(Image&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Image() { reset(); }

  static constexpr std::size_t kMostBytes = 0xFFFF;

  explicit operator bool() const { return static_cast<bool>(block_); }
  void reset();

  /// The checksum is right. Until this is known nothing else in the image may be believed.
  bool intact() const;
  // ---- Requires: intact().
  /// Null: it has none.
  const Dictionary* dictionary() const;
  Form form() const;
  std::span<const std::byte> packed() const;

  /// What it takes of the store.
  std::size_t stored_bytes() const { return block_ ? block_.cost() : 0; }
  /// All bytes of the block, for tests that damage one.
  std::span<std::byte> block();

 private:
  std::size_t length() const;
  std::uint32_t checksum() const;

  ImageStore::Block block_;
};

static_assert(sizeof(Image) == sizeof(void*));

}  // namespace h2park::freezer
