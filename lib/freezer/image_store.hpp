// ImageStore: where images lie: many and tiny, possibly secret, and all gone when the connections are.
//
// 1. Chunks of the size of a slot, each with a slot's allocator inside: no header per image, 16 bytes of
//    granularity, zeroed when released. Not the C heap, because that is in core dumps and keeps what it got.
// 2. A new image goes to the lowest chunk that has room. A chunk that becomes empty returns its pages to the
//    kernel.
// 3. What does not fit well into a chunk (over 8 KiB: incompressible noise) has pages of its own.
//
// Beside malloc, for the mixed fleet: 144 bytes for an image of 131 instead of 146, plus 3 % for the chunks'
// books. Thread: one per thread; its images are released there.
#pragma once

#include "freezer/slots.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace h2park::freezer {

class ImageStore {
 public:
  ImageStore() = default;
  ImageStore(const ImageStore&) = delete;
  ImageStore& operator=(const ImageStore&) = delete;
  /// Requires: all images were released.
  ~ImageStore();

  /// A block of the store. It need not know the store to be released.
  class Block {
   public:
    Block() = default;
    std::byte* data() const;
    explicit operator bool() const { return tagged_ != 0; }
    /// How much it holds: at least what was asked for.
    std::size_t capacity() const;
    /// What it takes of the memory.
    std::size_t cost() const { return capacity(); }

   private:
    friend class ImageStore;
    bool has_own_pages() const { return (tagged_ & 1) != 0; }

    std::uintptr_t tagged_ = 0;  // the address; bit 0: has pages of its own
  };

  /// Empty when there is no memory.
  Block obtain(std::size_t bytes);
  static void release(Block block);

  /// Chunks that have pages.
  std::size_t chunks() const { return chunks_.size(); }

 private:
  // What the root of a chunk's heap points to.
  struct Chunk {
    ImageStore* store;
    Slots* group;
    SlotHeap* heap;
    std::size_t refused = SIZE_MAX;  // no room for that much since the last release
  };

  void* obtain_in_chunks(std::size_t bytes);
  Chunk* add_chunk();
  void remove(Chunk* chunk);

  static constexpr std::size_t kChunksPerGroup = 64;  // 2 MiB of address space at a time
  static constexpr std::size_t kMostInChunk = std::size_t{8} * 1024;

  std::vector<std::unique_ptr<Slots>> groups_;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // in use, oldest first
};

}  // namespace h2park::freezer
