#include "base/pooled_heap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace h2park {
namespace {

TEST(PooledHeap, KeepsWhateverAlignmentIsAskedFor) {
  PooledHeap heap;
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* block = heap.allocate(100, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << alignment;
    std::memset(block, 0x5a, 100);
    heap.deallocate(block, 100, alignment);
  }
}

TEST(PooledHeap, BlocksOfOneClassDoNotOverlap) {
  PooledHeap heap;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (std::size_t bytes = 0; bytes < 1200; ++bytes) {
      auto* block = static_cast<unsigned char*>(heap.allocate(bytes, 8));
      std::memset(block, static_cast<int>(bytes % 251), bytes);
      blocks.emplace_back(block, bytes);
    }
    for (const auto& [block, bytes] : blocks) {
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], bytes % 251) << bytes;
      heap.deallocate(block, bytes, 8);
    }
  }
}

TEST(PooledHeap, KeepsNoMoreThanItsBound) {
  PooledHeap heap;
  std::vector<void*> blocks;
  for (int i = 0; i < 10'000; ++i) blocks.push_back(heap.allocate(512, 16));
  for (void* block : blocks) heap.deallocate(block, 512, 16);
  EXPECT_LE(heap.kept_bytes(), PooledHeap::kMostKept + 512);
}

}  // namespace
}  // namespace h2park
