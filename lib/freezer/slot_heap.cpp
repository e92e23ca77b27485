#include "freezer/slot_heap.hpp"

#include "freezer/poison.hpp"

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace h2park::freezer {
namespace {

constexpr bool looks_like_text(std::size_t bytes) { return bytes % alignof(std::uint64_t) != 0; }

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "h2park: a connection's memory: %s\n", what);
  std::abort();
}

/// Zeroes so that the compiler cannot see that nobody reads it.
void wipe(void* from, std::size_t bytes) {
  std::memset(from, 0, bytes);
  asm volatile("" : : "r"(from) : "memory");
}

/// A listed block's first bytes name the next one.
std::uint16_t next_of(const std::byte* block) {
  std::uint16_t next;
  std::memcpy(&next, block, sizeof next);
  return next;
}
void set_next(std::byte* block, std::uint16_t next) { std::memcpy(block, &next, sizeof next); }

}  // namespace

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

std::size_t SlotHeap::start_of(const void* block) const noexcept {
  const std::size_t first = index_of(block);
  if (at(first) != block || !starts_.test(first)) die("released twice, or not a block");
  return first;
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

// ---- taking

void* SlotHeap::adopt(std::size_t first, std::size_t granules, std::size_t bytes, bool text) noexcept {
  used_.set(first, granules);
  starts_.set(first);
  if (text) marks_.set(first);
  live_blocks_ = static_cast<std::uint16_t>(live_blocks_ + 1);
  live_granules_ = static_cast<std::uint16_t>(live_granules_ + granules);
  high_water_ = static_cast<std::uint16_t>(std::max<std::size_t>(high_water_, first + granules));
  unpoison(at(first), bytes);
  return at(first);
}

std::size_t SlotHeap::find_hole(std::size_t granules, std::size_t alignment) noexcept {
  const std::size_t step = std::max(alignment / kGranuleBytes, std::size_t{1});
  lowest_hole_ = static_cast<std::uint16_t>(used_.next_clear(lowest_hole_));
  std::size_t hole = lowest_hole_;
  while (hole < kGranules) {
    const std::size_t end = used_.next_set(hole);
    const std::size_t first = (hole + step - 1) / step * step;
    if (first + granules <= end) return first;
    hole = used_.next_clear(end);
  }
  return kGranules;
}

std::size_t SlotHeap::find_room(std::size_t granules, std::size_t alignment) noexcept {
  const std::size_t found = find_hole(granules, alignment);
  // Granules that wait in lists come before new ones.
  if (listed_ == 0 || found + granules <= high_water_) return found;
  settle();
  return find_hole(granules, alignment);
}

void* SlotHeap::obtain_inside(std::size_t bytes, std::size_t alignment, bool text) noexcept {
  if (bytes > kSlotBytes || alignment > kSlotBytes) return nullptr;
  const std::size_t granules = granules_for(bytes);
  if (granules < kLists && lists_[granules] != 0 && alignment <= kGranuleBytes) {
    const std::size_t first = lists_[granules];
    unpoison(at(first), std::max(bytes, sizeof(std::uint16_t)));
    lists_[granules] = next_of(at(first));
    set_next(at(first), 0);
    --listed_;
    if (!text) marks_.clear(first);
    starts_.set(first);
    live_blocks_ = static_cast<std::uint16_t>(live_blocks_ + 1);
    live_granules_ = static_cast<std::uint16_t>(live_granules_ + granules);
    return at(first);
  }
  const std::size_t first = find_room(granules, alignment);
  return first == kGranules ? nullptr : adopt(first, granules, bytes, text);
}

void* SlotHeap::obtain_outside(std::size_t bytes, std::size_t alignment) noexcept {
  void* block = nullptr;
  if (alignment <= kGranuleBytes) {
    block = std::calloc(1, std::max(bytes, std::size_t{1}));
  } else if (bytes <= SIZE_MAX - alignment) {
    block = std::aligned_alloc(alignment,
                               (std::max(bytes, std::size_t{1}) + alignment - 1) / alignment * alignment);
    if (block != nullptr) std::memset(block, 0, bytes);
  }
  if (block == nullptr) return nullptr;
  ++overflow_.blocks;
  overflow_.bytes += static_cast<std::uint32_t>(malloc_usable_size(block));
  return block;
}

void* SlotHeap::obtain_inside(std::size_t bytes) noexcept {
  return obtain_inside(bytes, kGranuleBytes, looks_like_text(bytes));
}

void* SlotHeap::obtain(std::size_t bytes) noexcept {
  void* block = obtain_inside(bytes);
  return block != nullptr ? block : obtain_outside(bytes, kGranuleBytes);
}

void* SlotHeap::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* block = obtain_inside(bytes, alignment, alignment == 1 || looks_like_text(bytes));
  if (block == nullptr) block = obtain_outside(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// ---- giving back

void SlotHeap::free_granules(std::size_t first, std::size_t granules) noexcept {
  used_.clear(first, granules);
  marks_.clear(first);
  lowest_hole_ = static_cast<std::uint16_t>(std::min<std::size_t>(lowest_hole_, first));
}

void SlotHeap::release_inside(void* block) noexcept {
  const std::size_t first = start_of(block);
  const std::size_t granules = block_end(first) - first;
  unpoison(block, granules * kGranuleBytes);
  wipe(block, granules * kGranuleBytes);
  starts_.clear(first);
  live_blocks_ = static_cast<std::uint16_t>(live_blocks_ - 1);
  live_granules_ = static_cast<std::uint16_t>(live_granules_ - granules);
  if (granules < kLists) {
    set_next(at(first), lists_[granules]);
    lists_[granules] = static_cast<std::uint16_t>(first);
    marks_.set(first);
    ++listed_;
  } else {
    free_granules(first, granules);
  }
  poison(block, granules * kGranuleBytes);
}

void SlotHeap::release_outside(void* block) noexcept {
  if (overflow_.blocks == 0) die("released a block that is not its own");
  const std::size_t bytes = malloc_usable_size(block);
  --overflow_.blocks;
  overflow_.bytes -= static_cast<std::uint32_t>(bytes);
  explicit_bzero(block, bytes);
  std::free(block);
}

void SlotHeap::release(void* block) noexcept {
  if (block == nullptr) return;
  if (contains(block)) {
    release_inside(block);
  } else {
    release_outside(block);
  }
}

void SlotHeap::do_deallocate(void* block, std::size_t, std::size_t) { release(block); }

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

// ---- resizing

std::size_t SlotHeap::capacity(const void* block) const noexcept {
  if (!contains(block)) return malloc_usable_size(const_cast<void*>(block));
  const std::size_t first = start_of(block);
  return (block_end(first) - first) * kGranuleBytes;
}

void* SlotHeap::resize(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return obtain(bytes);
  const std::size_t before = capacity(block);
  const bool inside = contains(block);
  if (inside) unpoison(block, before);
  // On the C heap a block that shrinks by half may fit into the slot again.
  if (bytes <= before && (inside || bytes >= before / 2)) {
    wipe(static_cast<std::byte*>(block) + bytes, before - bytes);
    if (inside) poison(static_cast<std::byte*>(block) + bytes, before - bytes);
    return block;
  }
  void* moved = obtain(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(before, bytes));
  release(block);
  return moved;
}

}  // namespace h2park::freezer
