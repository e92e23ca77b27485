#include "base/frame_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace h2park {
namespace {

class CountingMemory final : public std::pmr::memory_resource {
 public:
  std::size_t blocks = 0;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    ++blocks;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    --blocks;
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(FrameMemory, CountsLiveBytesWithTheirHeaders) {
  const std::size_t before = live_frame_bytes();
  void* frame = allocate_frame(100);
  EXPECT_EQ(live_frame_bytes(), before + 116);
  free_frame(frame);
  EXPECT_EQ(live_frame_bytes(), before);
}

TEST(FrameMemory, AlignsFramesTo16) {
  std::vector<void*> frames;
  for (std::size_t bytes : {1, 17, 100, 2'000, 5'000}) frames.push_back(allocate_frame(bytes));
  for (void* frame : frames) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame) % 16, 0u);
    free_frame(frame);
  }
}

TEST(FrameMemory, RecyclesAFrameOfTheSameSize) {
  void* first = allocate_frame(300);
  free_frame(first);
  void* second = allocate_frame(300);
  EXPECT_EQ(first, second);
  free_frame(second);
}

TEST(FrameMemory, GivesBackAFloodOfFrames) {
  const std::size_t before = live_frame_bytes();
  std::vector<void*> frames;
  for (int i = 0; i < 1'000; ++i) {
    frames.push_back(allocate_frame(500));
    std::memset(frames.back(), i, 500);
  }
  for (void* frame : frames) free_frame(frame);
  EXPECT_EQ(live_frame_bytes(), before);
}

TEST(FrameSourceScope, TakesFramesFromItsSourceAndNests) {
  CountingMemory outer;
  CountingMemory inner;
  void* frames[3];
  {
    const FrameSourceScope scope(&outer);
    frames[0] = allocate_frame(100);
    {
      const FrameSourceScope nested(&inner);
      frames[1] = allocate_frame(100);
    }
    frames[2] = allocate_frame(100);
  }
  EXPECT_EQ(outer.blocks, 2u);
  EXPECT_EQ(inner.blocks, 1u);
  void* plain = allocate_frame(100);
  EXPECT_EQ(outer.blocks, 2u);
  free_frame(plain);
  for (void* frame : frames) free_frame(frame);
}

TEST(FrameSourceScope, FramesGoBackToTheirOwnSource) {
  CountingMemory memory;
  CountingMemory other;
  void* frame = nullptr;
  {
    const FrameSourceScope scope(&memory);
    frame = allocate_frame(100);
  }
  {
    const FrameSourceScope scope(&other);
    free_frame(frame);
  }
  EXPECT_EQ(memory.blocks, 0u);
  EXPECT_EQ(other.blocks, 0u);
}

TEST(FrameSourceScope, NullMeansTheThreadsLists) {
  CountingMemory memory;
  const FrameSourceScope scope(&memory);
  {
    const FrameSourceScope plain(nullptr);
    free_frame(allocate_frame(100));
  }
  EXPECT_EQ(memory.blocks, 0u);
}

}  // namespace
}  // namespace h2park
