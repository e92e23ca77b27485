#include "freezer/block_filter.hpp"

#include "slot_fixture.hpp"

#include <algorithm>

namespace h2park::freezer {
namespace {

constexpr std::size_t kBytes = 512;

/// Knows blocks that count up from their first byte.
class CountingFilter final : public BlockFilter {
 public:
  bool knows(std::size_t bytes) const override { return bytes == kBytes; }
  bool strip(std::span<std::byte> copy, const std::byte* address) override {
    addresses.push_back(address);
    for (std::size_t i = 0; i < copy.size(); ++i) {
      if (copy[i] != static_cast<std::byte>(std::to_integer<std::size_t>(copy[0]) + i)) return false;
    }
    std::fill(copy.begin() + 1, copy.end(), std::byte{});
    return true;
  }
  void derive(std::span<std::byte> block) override {
    ++derived;
    for (std::size_t i = 0; i < block.size(); ++i)
      block[i] = static_cast<std::byte>(std::to_integer<std::size_t>(block[0]) + i);
  }

  std::vector<const std::byte*> addresses;
  int derived = 0;
};

class FilteredSlot : public test::WithSlots {
 protected:
  FilteredSlot() { flat_->set_filter(&filter_); }

  std::byte* put_counting(std::size_t bytes = kBytes) {
    auto* block = static_cast<std::byte*>(heap_.obtain(bytes));
    for (std::size_t i = 0; i < bytes; ++i) block[i] = static_cast<std::byte>(i + 3);
    return block;
  }
  std::vector<std::byte> flattened() {
    const auto bytes = flat_->flatten(heap_);
    return {bytes.begin(), bytes.end()};
  }
  void clear_slot() {
    unpoison(&heap_, kSlotBytes);
    std::memset(static_cast<void*>(&heap_), 0, kSlotBytes);
  }
  bool restored_alike() {
    const auto before = bytes_of(heap_);
    const auto bytes = flattened();
    clear_slot();
    return flat_->restore(bytes, &heap_) != nullptr && bytes_of(heap_) == before;
  }

  CountingFilter filter_;
  std::unique_ptr<FlatSlot> flat_ = std::make_unique<FlatSlot>();
  SlotHeap& heap_ = take();
};

TEST_F(FilteredSlot, IsShorterAndComesBackWhole) {
  std::byte* block = put_counting();
  const std::size_t with = flattened().size();
  EXPECT_LT(with, 100U);
  EXPECT_EQ(filter_.addresses, std::vector<const std::byte*>{block})
      << "where it lies, not where it was copied to";
  EXPECT_EQ(block[1], std::byte{4}) << "the slot is not changed";
  EXPECT_TRUE(restored_alike());
  EXPECT_EQ(filter_.derived, 1);
}

TEST_F(FilteredSlot, KeepsWhatTheFilterDoesNotKnow) {
  put_counting()[100] = std::byte{1};
  put_counting(kBytes - 64);
  test::put_text(heap_, std::string(kBytes - 2, 't'));
  EXPECT_TRUE(restored_alike());
  EXPECT_EQ(filter_.addresses.size(), 1U) << "neither other sizes nor text are looked at";
  EXPECT_EQ(filter_.derived, 0);
}

TEST_F(FilteredSlot, StripsNoMoreBlocksThanItCanList) {
  for (std::size_t i = 0; i < kMostStripped + 2; ++i) put_counting();
  EXPECT_TRUE(restored_alike());
  EXPECT_EQ(filter_.derived, static_cast<int>(kMostStripped));
}

TEST_F(FilteredSlot, IsRefusedWhenItListsBlocksThatCannotBeThose) {
  put_counting();
  heap_.obtain(64);
  const auto good = flattened();
  const auto restored = [&](std::uint16_t listed) {
    auto bytes = good;
    std::memcpy(&bytes[bytes.size() - sizeof listed], &listed, sizeof listed);
    clear_slot();
    return flat_->restore(bytes, &heap_) != nullptr;
  };
  EXPECT_TRUE(restored(0));
  EXPECT_FALSE(restored(1)) << "of another size";
  EXPECT_FALSE(restored(2)) << "no such block";
  flat_->set_filter(nullptr);
  EXPECT_FALSE(restored(0)) << "nobody can derive it";
}

TEST_F(FilteredSlot, LeavesNoCopyBehindWhenItIsCleared) {
  put_counting();
  flattened();
  flat_->clear();
  const auto* bytes = reinterpret_cast<const std::byte*>(flat_.get());
  const std::array trace{std::byte{3}, std::byte{4}, std::byte{5}, std::byte{6}};
  EXPECT_TRUE(std::ranges::search(std::span(bytes, sizeof(FlatSlot)), trace).empty());
}

}  // namespace
}  // namespace h2park::freezer
