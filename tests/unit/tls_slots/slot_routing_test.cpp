// The allocation functions themselves, called as OpenSSL calls them.
#include "tls/slot_routing.hpp"

#include "routed_fixture.hpp"

#include <openssl/crypto.h>

#include <cstring>

namespace h2park::tls {
namespace {

constexpr const char* kOurs = "../ssl/ssl_lib.c";
constexpr const char* kForeign = "../crypto/err/err.c";

class SlotRouting : public WithRoutedSlots {
 protected:
  freezer::SlotHeap& heap_ = take();
  void* const inside_ = heap_.allocate(16);  // an object of the connection

  void* obtain(std::size_t bytes, const char* file = kOurs) {
    const ConnectionAllocations here(inside_);
    return CRYPTO_malloc(bytes, file, 1);
  }
  void* resize(void* block, std::size_t bytes) {
    const ConnectionAllocations here(inside_);
    return CRYPTO_realloc(block, bytes, kOurs, 1);
  }
};

TEST_F(SlotRouting, TakesFromTheSlotOnlyWhatBelongsThere) {
  void* own = obtain(100);
  void* foreign = obtain(100, kForeign);
  void* outside = CRYPTO_malloc(100, kOurs, 1);
  EXPECT_TRUE(heap_.contains(own));
  EXPECT_FALSE(heap_.contains(foreign));
  EXPECT_FALSE(heap_.contains(outside)) << "no slot is current";
  EXPECT_EQ(heap_.live_blocks(), 2U);
  for (void* block : {own, foreign, outside}) CRYPTO_free(block, kOurs, 1);
  EXPECT_EQ(heap_.live_blocks(), 1U);
}

TEST_F(SlotRouting, AConnectionOutsideOfAnySlotHasItsBlocksOnTheHeap) {
  const int elsewhere = 0;
  const ConnectionAllocations here(&elsewhere);
  void* block = CRYPTO_malloc(100, kOurs, 1);
  EXPECT_FALSE(slots.contains(block));
  CRYPTO_free(block, kOurs, 1);
}

TEST_F(SlotRouting, ABlockIsFreedWhereItLivesWhoeverIsCurrent) {
  freezer::SlotHeap& other = take();
  void* const other_inside = other.allocate(16);
  void* own = obtain(100);
  void* foreign = obtain(100, kForeign);
  {
    const ConnectionAllocations here(other_inside);
    CRYPTO_free(own, kOurs, 1);
    CRYPTO_free(foreign, kOurs, 1);
  }
  EXPECT_EQ(heap_.live_blocks(), 1U);
  EXPECT_EQ(other.live_blocks(), 1U);
}

TEST_F(SlotRouting, ABlockKeepsItsContentWhenItIsResized) {
  auto* block = static_cast<char*>(obtain(100));
  std::strcpy(block, "content");
  block = static_cast<char*>(resize(block, 1000));
  EXPECT_TRUE(heap_.contains(block));
  EXPECT_STREQ(block, "content");
  block = static_cast<char*>(resize(block, 10));
  EXPECT_TRUE(heap_.contains(block));
  EXPECT_STREQ(block, "content");
  EXPECT_EQ(resize(block, 0), nullptr);
  EXPECT_EQ(heap_.live_blocks(), 1U);
  EXPECT_EQ(obtain(0), nullptr);
}

TEST_F(SlotRouting, WhatFindsNoRoomGoesToTheHeapAndIsCounted) {
  const std::uint64_t before = allocations_overflowed();
  auto* block = static_cast<char*>(obtain(100));
  std::strcpy(block, "content");
  block = static_cast<char*>(resize(block, 2 * freezer::kSlotBytes));
  EXPECT_FALSE(slots.contains(block));
  EXPECT_STREQ(block, "content");
  EXPECT_EQ(heap_.live_blocks(), 1U);
  void* large = obtain(2 * freezer::kSlotBytes);
  EXPECT_FALSE(slots.contains(large));
  EXPECT_EQ(allocations_overflowed(), before + 2);
  // Once outside it stays outside.
  block = static_cast<char*>(resize(block, 50));
  EXPECT_FALSE(slots.contains(block));
  EXPECT_STREQ(block, "content");
  CRYPTO_free(block, kOurs, 1);
  CRYPTO_free(large, kOurs, 1);
  EXPECT_EQ(allocations_overflowed(), before + 2);
}

TEST_F(SlotRouting, BlocksAreZeroAgainWhenTheyAreFreed) {
  auto* block = static_cast<char*>(obtain(64));
  std::memset(block, 's', 64);
  const auto offset = block - reinterpret_cast<char*>(&heap_);
  CRYPTO_free(block, kOurs, 1);
  auto* again = static_cast<char*>(obtain(64));
  ASSERT_EQ(again - reinterpret_cast<char*>(&heap_), offset);
  EXPECT_EQ(std::string(again, 64), std::string(64, '\0'));
  CRYPTO_free(again, kOurs, 1);
}

TEST(RouteAllocations, IsDoneOnceAndStays) {
  EXPECT_TRUE(route_allocations());
  EXPECT_TRUE(allocations_are_routed());
}

}  // namespace
}  // namespace h2park::tls
