// What most of the freezer's tests need: a few slots, a packer with a dictionary, and freeze and thaw in one
// word.
#pragma once

#include "freezer/flat_slot.hpp"
#include "freezer/packer.hpp"
#include "freezer/poison.hpp"
#include "freezer/slots.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace h2park::freezer::test {

class WithSlots : public testing::Test {
 protected:
  explicit WithSlots(std::size_t count = 8) : slots(Slots::reserve(count).value()) {}

  SlotHeap& take() {
    SlotHeap* heap = slots.take();
    if (heap == nullptr) throw std::bad_alloc();
    return *heap;
  }
  void want_given_back(SlotHeap& heap) { EXPECT_EQ(slots.give_back(heap), 0U); }

  /// Pages of the slot that take memory.
  std::size_t resident_pages(const void* slot) const {
    std::array<unsigned char, kSlotBytes / 4096> resident{};
    EXPECT_EQ(mincore(const_cast<void*>(slot), kSlotBytes, resident.data()), 0);
    std::size_t count = 0;
    for (const unsigned char page : resident) count += page & 1;
    return count;
  }
  /// All bytes of the slot behind its books, whatever AddressSanitizer has been told about them.
  std::vector<std::byte> bytes_of(const SlotHeap& heap) const {
    unpoison(&heap, kSlotBytes);
    const auto* slot = reinterpret_cast<const std::byte*>(&heap);
    return {slot + SlotHeap::first_granule() * kGranuleBytes, slot + kSlotBytes};
  }

  Slots slots;
};

/// Text in a new block of its own.
inline char* put_text(SlotHeap& heap, std::string_view text) {
  auto* block = static_cast<char*>(heap.obtain(text.size() + 1));
  std::memcpy(block, text.data(), text.size());
  return block;
}

class WithPacker : public WithSlots {
 protected:
  explicit WithPacker(std::size_t count = 8)
      : WithSlots(count), packer(Packer::make(small_dictionary()).value()) {}

  Dictionary::Ref small_dictionary(std::string_view word = "sample") {
    SlotHeap& heap = take();
    char* text = put_text(heap, word);
    const std::array sample{&heap};
    Dictionary::Ref made = Dictionary::build(sample).value();
    heap.release(text);
    want_given_back(heap);
    return made;
  }

  SlotHeap& thaw(Image& image, void* slot) {
    const auto thawed = packer.unpack(image, slot);
    EXPECT_TRUE(thawed.has_value());
    EXPECT_EQ(*thawed, slot);
    EXPECT_FALSE(image);
    return **thawed;
  }
  SlotHeap& freeze_and_thaw(SlotHeap& heap) {
    Image image = packer.pack(heap);
    EXPECT_TRUE(image);
    return thaw(image, &heap);
  }

  Packer packer;
};

}  // namespace h2park::freezer::test
