// The books. Taking and giving back blocks is in slot_heap_blocks.cpp.
#include "freezer/slot_heap.hpp"

#include "freezer/poison.hpp"
#include "freezer/slot_list.hpp"

#include <algorithm>
#include <new>

namespace h2park::freezer {

// ---- the slot

std::size_t SlotHeap::first_granule() { return granules_for(sizeof(SlotHeap)); }

SlotHeap* SlotHeap::create(void* slot) {
  poison(slot, kSlotBytes);
  unpoison(slot, sizeof(SlotHeap));
  auto* heap = new (slot) SlotHeap;
  const std::size_t first = first_granule();
  heap->used_.set(0, first);
  heap->marks_.set(0);
  heap->lowest_hole_ = static_cast<std::uint16_t>(first);
  heap->high_water_ = static_cast<std::uint16_t>(first);
  return heap;
}

SlotHeap* SlotHeap::recreate(void* slot, std::span<const Extent> extents, Overflow overflow, void* root) {
  SlotHeap* heap = create(slot);
  for (const Extent& extent : extents) {
    if (extent.kind == Extent::Kind::kHole) continue;
    // How many bytes of its last granule the owner asked for is not known any more.
    heap->adopt(extent.first, extent.granules, extent.granules * kGranuleBytes,
                extent.kind == Extent::Kind::kText);
  }
  heap->lowest_hole_ = static_cast<std::uint16_t>(heap->used_.next_clear(0));
  heap->overflow_ = overflow;
  heap->root_ = root;
  return heap;
}

SlotHeap* SlotHeap::of(const void* address) {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) & (kSlotBytes - 1);
  auto* bytes = static_cast<std::byte*>(const_cast<void*>(address));
  return std::launder(reinterpret_cast<SlotHeap*>(bytes - offset));
}

bool SlotHeap::contains(const void* address) const noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(this) < kSlotBytes;
}

std::byte* SlotHeap::at(std::size_t granule) const noexcept {
  return reinterpret_cast<std::byte*>(const_cast<SlotHeap*>(this)) + granule * kGranuleBytes;
}

std::size_t SlotHeap::index_of(const void* address) const noexcept {
  return (reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(this)) / kGranuleBytes;
}

std::size_t SlotHeap::block_end(std::size_t first) const noexcept {
  return GranuleMap::next(first + 1, [this](std::size_t word) {
    return starts_.word(word) | marks_.word(word) | ~used_.word(word);
  });
}

Extent SlotHeap::extent_at(std::size_t granule) const noexcept {
  const bool used = used_.test(granule);
  const std::size_t end = used ? block_end(granule) : used_.next_set(granule);
  Extent::Kind kind = Extent::Kind::kHole;
  if (used) kind = marks_.test(granule) ? Extent::Kind::kText : Extent::Kind::kStructure;
  return {static_cast<std::uint16_t>(granule), static_cast<std::uint16_t>(end - granule), kind};
}

std::uint64_t SlotHeap::layout_hash() const noexcept {
  // Beyond the highest block there is none: its words are zero in all slots.
  const std::size_t words = (std::size_t{high_water_} + 63) / 64;
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  std::uint64_t hash = words;
  for (const GranuleMap* map : {&used_, &starts_, &marks_}) {
    for (std::size_t i = 0; i < words; ++i) {
      hash = (hash ^ map->word(i)) * kOdd;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

void SlotHeap::mark_room() const noexcept {
  if constexpr (!kPoisons) return;
  const auto* books = reinterpret_cast<const std::byte*>(this);
  poison(books + sizeof(SlotHeap), kSlotBytes - sizeof(SlotHeap));
  for (std::size_t granule = first_granule(); granule < kGranules;) {
    const Extent extent = extent_at(granule);
    if (extent.kind != Extent::Kind::kHole) unpoison(at(granule), extent.granules * kGranuleBytes);
    granule += extent.granules;
  }
}

// ---- freed blocks

void SlotHeap::free_granules(std::size_t first, std::size_t granules) noexcept {
  used_.clear(first, granules);
  marks_.clear(first);
  lowest_hole_ = static_cast<std::uint16_t>(std::min<std::size_t>(lowest_hole_, first));
  refused_ = kGranules + 1;
}

void SlotHeap::settle() noexcept {
  if (listed_ == 0) return;
  for (std::size_t granules = 1; granules < kLists; ++granules) {
    while (lists_[granules] != 0) {
      const std::size_t first = lists_[granules];
      unpoison(at(first), sizeof(std::uint16_t));
      lists_[granules] = next_of(at(first));
      set_next(at(first), 0);
      poison(at(first), sizeof(std::uint16_t));
      free_granules(first, granules);
    }
  }
  listed_ = 0;
}

}  // namespace h2park::freezer
