#include "freezer/slots.hpp"

#include "unit/freezer/slot_fixture.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <set>

namespace h2park::freezer {
namespace {

constexpr std::size_t kMany = 200;

class SlotsTest : public test::WithSlots {
 protected:
  SlotsTest() : WithSlots(kMany) {}
};

TEST_F(SlotsTest, GivesEachSlotOnceAndThenNone) {
  std::set<SlotHeap*> taken;
  for (std::size_t slot = 0; slot < kMany; ++slot) taken.insert(&take());
  EXPECT_EQ(taken.size(), kMany);
  EXPECT_EQ(slots.take(), nullptr);
  EXPECT_EQ(slots.taken(), kMany);
  want_given_back(**taken.begin());
  EXPECT_EQ(slots.take(), *taken.begin());
}

TEST_F(SlotsTest, AlignsSlotsToTheirSizeSoThatPointersFindThem) {
  for (std::size_t index = 0; index < kMany; ++index) {
    SlotHeap& heap = take();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&heap) % kSlotBytes, 0U);
    EXPECT_EQ(slots.index_of(heap), index);
    EXPECT_EQ(slots.address(index), &heap);
    EXPECT_EQ(SlotHeap::of(reinterpret_cast<char*>(&heap) + kSlotBytes - 1), &heap);
  }
}

TEST_F(SlotsTest, KnowsWhichAddressesAreIts) {
  const auto* begin = static_cast<const char*>(slots.address(0));
  EXPECT_TRUE(slots.contains(begin));
  EXPECT_TRUE(slots.contains(begin + kMany * kSlotBytes - 1));
  EXPECT_FALSE(slots.contains(begin - 1));
  EXPECT_FALSE(slots.contains(begin + kMany * kSlotBytes));
  EXPECT_FALSE(slots.contains(nullptr));
}

TEST_F(SlotsTest, TakesTheLowestFreeSlotOnceNoneIsWarm) {
  std::vector<SlotHeap*> heaps;
  for (std::size_t slot = 0; slot < kMany; ++slot) heaps.push_back(&take());
  for (std::size_t slot = kMany; slot-- > 0;) want_given_back(*heaps[slot]);
  for (std::size_t warm = 0; warm < Slots::kMostWarm; ++warm) take();
  EXPECT_EQ(&take(), heaps[0]);
  EXPECT_EQ(&take(), heaps[1]);
}

TEST_F(SlotsTest, HandsOutAWarmSlotAsCleanAsANewOne) {
  SlotHeap& heap = take();
  void* first = heap.obtain(5000);
  std::memset(first, 0xAB, 5000);
  heap.release(first);
  void* second = heap.obtain(40);
  std::memset(second, 0xAB, 40);
  heap.release(second);
  want_given_back(heap);
  SlotHeap& again = take();
  ASSERT_EQ(&again, &heap);
  EXPECT_EQ(again.touched_bytes(), SlotHeap::first_granule() * kGranuleBytes);
  for (const std::byte byte : bytes_of(again)) ASSERT_EQ(byte, std::byte{0});
}

TEST_F(SlotsTest, ReturnsThePagesOfAllButTheWarmSlots) {
  std::vector<SlotHeap*> heaps;
  for (std::size_t slot = 0; slot < kMany; ++slot) {
    heaps.push_back(&take());
    void* block = heaps.back()->obtain(20'000);
    std::memset(block, 0xAB, 20'000);
    EXPECT_GE(resident_pages(heaps.back()), 5U);
    heaps.back()->release(block);
  }
  for (SlotHeap* heap : heaps) want_given_back(*heap);
  std::size_t resident = 0;
  for (SlotHeap* heap : heaps) resident += resident_pages(heap) != 0 ? 1 : 0;
  EXPECT_LE(resident, Slots::kMostWarm);
  EXPECT_EQ(slots.taken(), 0U);
}

TEST_F(SlotsTest, ReturnsThePagesOfTheWarmSlotsTooWhenItIsTrimmed) {
  std::vector<SlotHeap*> heaps;
  for (std::size_t slot = 0; slot < Slots::kMostWarm + 4; ++slot) {
    heaps.push_back(&take());
    void* block = heaps.back()->obtain(20'000);
    std::memset(block, 0xAB, 20'000);
    heaps.back()->release(block);
  }
  SlotHeap& in_use = take();
  char* text = test::put_text(in_use, "mine");
  for (SlotHeap* heap : heaps) want_given_back(*heap);
  const auto resident = [&] {
    return std::ranges::count_if(heaps, [&](SlotHeap* heap) { return resident_pages(heap) != 0; });
  };
  ASSERT_EQ(resident(), static_cast<std::ptrdiff_t>(Slots::kMostWarm));
  slots.trim();
  EXPECT_EQ(resident(), 0);
  EXPECT_STREQ(text, "mine") << "a slot in use keeps its pages";
  // All are free again, once each, from the lowest on.
  EXPECT_EQ(slots.taken(), 1U);
  EXPECT_EQ(&take(), heaps.front());
  for (std::size_t slot = 2; slot < kMany; ++slot) EXPECT_NE(&take(), &in_use);
  EXPECT_EQ(slots.take(), nullptr);
}

TEST_F(SlotsTest, QuarantinesASlotWithLiveBlocks) {
  SlotHeap& heap = take();
  auto* left = static_cast<char*>(heap.obtain(100));
  left[0] = 'x';
  (void)heap.obtain(10);
  EXPECT_EQ(slots.give_back(heap), 2U);
  EXPECT_EQ(slots.quarantined(), 1U);
  EXPECT_EQ(slots.taken(), 0U);
  for (std::size_t slot = 1; slot < kMany; ++slot) EXPECT_NE(&take(), &heap);
  EXPECT_EQ(slots.take(), nullptr);
  EXPECT_EQ(left[0], 'x');  // whoever still points there finds what was there
}

TEST_F(SlotsTest, QuarantinesASlotWhoseBlocksOnTheHeapAreLeft) {
  SlotHeap& heap = take();
  void* left = heap.obtain(2 * kSlotBytes);
  EXPECT_EQ(slots.give_back(heap), 1U);
  EXPECT_EQ(slots.quarantined(), 1U);
  heap.release(left);
}

TEST_F(SlotsTest, TakesASlotBackThatIsNoHeapAnyMore) {
  SlotHeap& heap = take();
  const std::size_t index = slots.index_of(heap);
  slots.give_back_frozen(index);
  EXPECT_EQ(slots.taken(), 0U);
  EXPECT_EQ(&take(), &heap);
}

TEST(SlotsReservation, IsRefusedBeyondTheAddressSpace) {
  const auto refused = Slots::reserve(std::size_t{1} << 40);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("cannot reserve address space for 1099511627776 connections"),
            std::string::npos);
  EXPECT_FALSE(Slots::reserve(0).has_value());
  EXPECT_FALSE(Slots::reserve(SIZE_MAX).has_value());
}

TEST(SlotsReservation, IsRefusedByAResourceLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own reservation is over any limit";
#endif
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit tight = before;
  tight.rlim_cur = std::size_t{1} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const auto refused = Slots::reserve(100'000);
  setrlimit(RLIMIT_AS, &before);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("Cannot allocate memory"), std::string::npos);
}

TEST(SlotsReservation, CanBeMoved) {
  Slots first = Slots::reserve(2).value();
  SlotHeap* heap = first.take();
  Slots second = std::move(first);
  EXPECT_EQ(second.index_of(*heap), 0U);
  EXPECT_EQ(second.give_back(*heap), 0U);
}

}  // namespace
}  // namespace h2park::freezer
