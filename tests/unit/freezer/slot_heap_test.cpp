#include "freezer/slot_heap.hpp"

#include "unit/freezer/slot_fixture.hpp"

#include <algorithm>
#include <memory_resource>
#include <set>
#include <string>

namespace h2park::freezer {
namespace {

class SlotHeapTest : public test::WithSlots {
 protected:
  SlotHeapTest() : heap(take()) {}

  static bool all_zero(const void* block, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(block);
    return std::all_of(from, from + bytes, [](std::byte byte) { return byte == std::byte{0}; });
  }
  static bool aligned(const void* block, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
  }
  static constexpr std::size_t room() { return kSlotBytes - kGranuleBytes * books(); }
  static constexpr std::size_t books() { return (sizeof(SlotHeap) + kGranuleBytes - 1) / kGranuleBytes; }

  SlotHeap& heap;
};

TEST_F(SlotHeapTest, GivesZeroedBlocksAlignedTo16) {
  for (const std::size_t bytes : {0, 1, 15, 16, 17, 100, 1024, 1025, 4096}) {
    void* block = heap.obtain(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(aligned(block, 16));
    EXPECT_TRUE(heap.contains(block));
    EXPECT_GE(heap.capacity(block), bytes);
    EXPECT_TRUE(all_zero(block, bytes));
    EXPECT_EQ(SlotHeap::of(block), &heap);
    std::memset(block, 0xAB, bytes);
  }
}

TEST_F(SlotHeapTest, GivesEmptyBlocksAddressesOfTheirOwn) { EXPECT_NE(heap.obtain(0), heap.obtain(0)); }

TEST_F(SlotHeapTest, ZeroesABlockWhenItIsReleased) {
  for (const std::size_t bytes : {5, 300, 5000}) {
    void* block = heap.obtain(bytes);
    std::memset(block, 0xAB, bytes);
    heap.release(block);
  }
  heap.settle();
  const auto left = bytes_of(heap);
  EXPECT_TRUE(all_zero(left.data(), left.size()));
}

TEST_F(SlotHeapTest, GivesAReleasedBlockZeroedAgain) {
  void* block = heap.obtain(40);
  std::memset(block, 0xAB, 40);
  heap.release(block);
  void* again = heap.obtain(33);
  EXPECT_EQ(again, block);
  EXPECT_TRUE(all_zero(again, 33));
}

TEST_F(SlotHeapTest, CountsLiveBlocksAndBytes) {
  EXPECT_EQ(heap.live_blocks(), 0U);
  void* small = heap.obtain(10);
  void* large = heap.obtain(2000);
  EXPECT_EQ(heap.live_blocks(), 2U);
  EXPECT_EQ(heap.live_bytes(), 2016U);
  heap.release(small);
  heap.release(large);
  heap.release(nullptr);
  EXPECT_EQ(heap.live_blocks(), 0U);
  EXPECT_EQ(heap.live_bytes(), 0U);
}

TEST_F(SlotHeapTest, FillsUpToTheLastByteWithOneBlock) {
  void* all = heap.obtain_inside(room());
  ASSERT_NE(all, nullptr);
  std::memset(all, 0xAB, room());
  EXPECT_EQ(static_cast<std::byte*>(all) + room(), reinterpret_cast<std::byte*>(&heap) + kSlotBytes);
  EXPECT_EQ(heap.obtain_inside(1), nullptr);
  heap.release(all);
  EXPECT_EQ(heap.obtain_inside(room()), all);
}

TEST_F(SlotHeapTest, FillsUpToTheLastByteWithSmallBlocks) {
  std::vector<void*> blocks;
  while (void* block = heap.obtain_inside(kGranuleBytes)) {
    std::memset(block, static_cast<int>(blocks.size()), kGranuleBytes);
    blocks.push_back(block);
  }
  EXPECT_EQ(blocks.size(), room() / kGranuleBytes);
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const auto* bytes = static_cast<unsigned char*>(blocks[index]);
    ASSERT_EQ(bytes[0], index % 256);
    ASSERT_EQ(bytes[kGranuleBytes - 1], index % 256);
  }
  for (void* block : blocks) heap.release(block);
  EXPECT_NE(heap.obtain_inside(room()), nullptr);  // and the pieces are one hole again
}

TEST_F(SlotHeapTest, OverflowsToTheHeapAndCountsIt) {
  void* all = heap.obtain(room());
  void* over = heap.obtain(100);
  ASSERT_NE(over, nullptr);
  EXPECT_FALSE(heap.contains(over));
  EXPECT_TRUE(all_zero(over, 100));
  EXPECT_EQ(heap.overflow().blocks, 1U);
  EXPECT_GE(heap.overflow().bytes, 100U);
  EXPECT_EQ(heap.live_blocks(), 2U);
  EXPECT_EQ(heap.obtain_inside(100), nullptr);
  heap.release(over);
  EXPECT_EQ(heap.overflow(), SlotHeap::Overflow{});
  heap.release(all);
  EXPECT_TRUE(heap.contains(heap.obtain(100)));
}

TEST_F(SlotHeapTest, SendsWhatIsLargerThanASlotToTheHeap) {
  void* block = heap.obtain(kSlotBytes + 1);
  ASSERT_NE(block, nullptr);
  std::memset(block, 0xAB, kSlotBytes + 1);
  EXPECT_EQ(heap.overflow().blocks, 1U);
  heap.release(block);
  EXPECT_EQ(heap.obtain(SIZE_MAX), nullptr);
  EXPECT_EQ(heap.obtain(SIZE_MAX - 8), nullptr);
}

TEST_F(SlotHeapTest, ResizesInPlaceWhileTheBlockIsLargeEnough) {
  void* block = heap.obtain(40);
  std::memset(block, 0xAB, 40);
  EXPECT_EQ(heap.resize(block, 48), block);
  EXPECT_EQ(heap.resize(block, 3), block);
  EXPECT_TRUE(all_zero(static_cast<char*>(heap.resize(block, 48)) + 3, 45));
}

TEST_F(SlotHeapTest, ResizesAcrossToTheHeapAndBack) {
  auto* block = static_cast<unsigned char*>(heap.resize(nullptr, 100));
  for (unsigned char byte = 0; byte < 100; ++byte) block[byte] = byte;
  block = static_cast<unsigned char*>(heap.resize(block, kSlotBytes));
  EXPECT_FALSE(heap.contains(block));
  EXPECT_EQ(heap.live_blocks(), 1U);
  block = static_cast<unsigned char*>(heap.resize(block, 2 * kSlotBytes));
  EXPECT_EQ(heap.overflow().blocks, 1U);
  block = static_cast<unsigned char*>(heap.resize(block, 100));
  EXPECT_TRUE(heap.contains(block));
  EXPECT_EQ(heap.overflow(), SlotHeap::Overflow{});
  for (unsigned char byte = 0; byte < 100; ++byte) ASSERT_EQ(block[byte], byte);
}

TEST_F(SlotHeapTest, ResizesInsideOrNotAtAll) {
  auto* block = static_cast<char*>(heap.obtain_inside(10));
  std::memcpy(block, "remember", 9);
  EXPECT_EQ(heap.resize_inside(block, 16), block);
  block = static_cast<char*>(heap.resize_inside(block, 5000));
  ASSERT_NE(block, nullptr);
  EXPECT_STREQ(block, "remember");
  EXPECT_EQ(heap.resize_inside(block, room()), nullptr);
  EXPECT_STREQ(block, "remember");
  EXPECT_EQ(heap.live_blocks(), 1U);
  EXPECT_EQ(heap.overflow().blocks, 0U);
}

TEST_F(SlotHeapTest, KeepsTheBlockWhenItCannotGrow) {
  void* block = heap.obtain(100);
  EXPECT_EQ(heap.resize(block, SIZE_MAX / 2), nullptr);
  std::memset(block, 0xAB, 100);
  EXPECT_EQ(heap.live_blocks(), 1U);
}

TEST_F(SlotHeapTest, ServesPolymorphicContainers) {
  {
    std::pmr::vector<std::pmr::string> words(&heap);
    for (int word = 0; word < 100; ++word)
      words.emplace_back(std::string(static_cast<std::size_t>(word), 'x'));
    EXPECT_EQ(words[99].size(), 99U);
    EXPECT_TRUE(heap.contains(words[99].data()));
  }
  EXPECT_EQ(heap.live_blocks(), 0U);
}

TEST_F(SlotHeapTest, HonoursAlignmentsInsideAndOutside) {
  for (std::size_t alignment = 1; alignment <= 2 * kSlotBytes; alignment *= 2) {
    void* block = heap.allocate(24, alignment);
    EXPECT_TRUE(aligned(block, alignment)) << alignment;
    EXPECT_TRUE(all_zero(block, 24));
    EXPECT_EQ(heap.contains(block), alignment < kSlotBytes)
        << alignment;  // where a slot begins, its books are
    std::memset(block, 0xAB, 24);
    heap.deallocate(block, 24, alignment);
  }
  EXPECT_EQ(heap.live_blocks(), 0U);
  EXPECT_EQ(heap.overflow(), SlotHeap::Overflow{});
}

TEST_F(SlotHeapTest, ThrowsForContainersWhenThereIsNoMemory) {
  const volatile std::size_t all = SIZE_MAX - 8;  // volatile: the compiler knows as well that it is too much
  EXPECT_THROW((void)heap.allocate(all, 16), std::bad_alloc);
  EXPECT_THROW((void)heap.allocate(all, 2 * kSlotBytes), std::bad_alloc);
}

TEST_F(SlotHeapTest, IsEqualToItselfOnly) {
  SlotHeap& other = take();
  EXPECT_TRUE(heap.is_equal(heap));
  EXPECT_FALSE(heap.is_equal(other));
}

TEST_F(SlotHeapTest, StaysCompactOverThousandsOfCycles) {
  std::mt19937 random(7);
  std::vector<void*> kept;
  std::size_t most_live = 0;
  const auto cycle = [&] {
    std::vector<void*> passing;
    for (int block = 0; block < 20; ++block) passing.push_back(heap.obtain(1 + random() % 700));
    // One block of the connection's own is replaced in the middle of it, as an HPACK entry is.
    kept.push_back(heap.obtain(30 + random() % 100));
    most_live = std::max(most_live, heap.live_bytes());
    if (kept.size() > 20) {
      heap.release(kept.front());
      kept.erase(kept.begin());
    }
    std::shuffle(passing.begin(), passing.end(), random);
    for (void* block : passing) heap.release(block);
  };
  for (int cycles = 0; cycles < 20'000; ++cycles) cycle();
  EXPECT_LE(heap.touched_bytes(), kGranuleBytes * books() + most_live + most_live / 2);
  EXPECT_EQ(heap.overflow().blocks, 0U);
  for (void* block : kept) heap.release(block);
}

TEST_F(SlotHeapTest, TouchesNothingNewWhenTheSameIsDoneAgain) {
  const auto request = [this] {
    void* stream = heap.obtain(300);
    void* name = heap.obtain(45);
    heap.release(stream);
    void* frame = heap.obtain(1500);
    heap.release(name);
    heap.release(frame);
  };
  request();
  const std::size_t once = heap.touched_bytes();
  for (int again = 0; again < 10'000; ++again) request();
  EXPECT_EQ(heap.touched_bytes(), once);
}

TEST_F(SlotHeapTest, TellsTextFromStructures) {
  void* structure = heap.obtain(64);
  void* odd = heap.obtain(61);
  void* text = heap.allocate(64, 1);
  heap.settle();
  const auto kind_of = [this](void* block) {
    const auto offset = static_cast<std::byte*>(block) - reinterpret_cast<std::byte*>(&heap);
    return heap.extent_at(static_cast<std::size_t>(offset) / kGranuleBytes).kind;
  };
  EXPECT_EQ(kind_of(structure), Extent::Kind::kStructure);
  EXPECT_EQ(kind_of(odd), Extent::Kind::kText);
  EXPECT_EQ(kind_of(text), Extent::Kind::kText);
  heap.release(odd);
  EXPECT_EQ(kind_of(heap.obtain(62)), Extent::Kind::kText);
  heap.release(text);
  EXPECT_EQ(kind_of(heap.obtain(56)), Extent::Kind::kStructure);  // from the list of the text's size
}

TEST_F(SlotHeapTest, PoisonsWhatIsNotABlock) {
  if (!kPoisons) GTEST_SKIP() << "needs AddressSanitizer";
#if defined(__SANITIZE_ADDRESS__)
  auto* block = static_cast<char*>(heap.obtain(20));
  EXPECT_FALSE(__asan_address_is_poisoned(block + 19));
  EXPECT_TRUE(__asan_address_is_poisoned(block + 20));
  EXPECT_TRUE(__asan_address_is_poisoned(block + 32));
  heap.resize(block, 30);
  EXPECT_FALSE(__asan_address_is_poisoned(block + 29));
  heap.release(block);
  EXPECT_TRUE(__asan_address_is_poisoned(block));
  heap.settle();
  EXPECT_TRUE(__asan_address_is_poisoned(block));
#endif
}

using SlotHeapDeathTest = SlotHeapTest;

TEST_F(SlotHeapDeathTest, EndsTheProcessWhenABlockIsReleasedTwice) {
  void* block = heap.obtain(40);
  heap.release(block);
  EXPECT_DEATH(heap.release(block), "released twice");
  heap.settle();
  EXPECT_DEATH(heap.release(block), "released twice");
}

TEST_F(SlotHeapDeathTest, EndsTheProcessWhenWhatIsReleasedIsNoBlock) {
  auto* block = static_cast<char*>(heap.obtain(40));
  EXPECT_DEATH(heap.release(block + 16), "not a block");
  EXPECT_DEATH(heap.release(block + 8), "not a block");
  EXPECT_DEATH(heap.release(&heap), "not a block");
  int local = 0;
  EXPECT_DEATH(heap.release(&local), "not its own");
}

TEST_F(SlotHeapTest, SearchesAFullSlotAgainWhenEnoughWasReleased) {
  std::vector<void*> blocks;
  while (void* block = heap.obtain_inside(64)) blocks.push_back(block);
  while (void* block = heap.obtain_inside(16)) blocks.push_back(block);
  void* outside = heap.obtain(32);
  EXPECT_FALSE(heap.contains(outside));
  heap.release(blocks[0]);
  void* same = heap.obtain(64);
  EXPECT_EQ(same, blocks[0]) << "one of its size is there at once";
  std::vector<void*> others;
  for (std::size_t i = 0; i < 40; ++i) {
    heap.release(blocks[i]);
    blocks[i] = nullptr;
    others.push_back(heap.obtain(32));
  }
  EXPECT_TRUE(std::ranges::any_of(others, [&](void* block) { return heap.contains(block); }));
  for (void* block : blocks) heap.release(block);
  for (void* block : others) heap.release(block);
  heap.release(outside);
  EXPECT_EQ(heap.overflow().blocks, 0U);
}

}  // namespace
}  // namespace h2park::freezer
