#include "freezer/overflow_blocks.hpp"

#include "base/pooled_heap.hpp"
#include "freezer/granule_map.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace h2park::freezer {
namespace {

/// In front of each block: libraries in C do not say how long a block is when they release it.
struct Head {
  std::size_t bytes;
  std::size_t offset;  ///< of the block in what was allocated
};
static_assert(sizeof(Head) == kGranuleBytes);

// No connection has use for more; what overflows is counted in 32 bits.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

thread_local PooledHeap heap;

Head& head_of(void* block) { return static_cast<Head*>(block)[-1]; }

}  // namespace

void* obtain_overflow_block(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t offset = std::max(alignment, sizeof(Head));
  if (bytes > kMostBytes || alignment > kMostBytes) return nullptr;
  const std::size_t whole = granules_for(bytes) * kGranuleBytes;
  void* start;
  try {
    start = heap.allocate(offset + whole, offset);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  void* block = static_cast<std::byte*>(start) + offset;
  head_of(block) = {.bytes = whole, .offset = offset};
  std::memset(block, 0, whole);
  return block;
}

void release_overflow_block(void* block) noexcept {
  const Head head = head_of(block);
  explicit_bzero(block, head.bytes);
  heap.deallocate(static_cast<std::byte*>(block) - head.offset, head.offset + head.bytes, head.offset);
}

std::size_t overflow_block_bytes(const void* block) noexcept {
  return static_cast<const Head*>(block)[-1].bytes;
}

}  // namespace h2park::freezer
