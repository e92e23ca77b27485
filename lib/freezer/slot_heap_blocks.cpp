#include "freezer/overflow_blocks.hpp"
#include "freezer/poison.hpp"
#include "freezer/slot_heap.hpp"
#include "freezer/slot_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>

namespace h2park::freezer {
namespace {

// Of all slots together: it is rare, and a slot's own memory is frozen.
constinit std::atomic<std::uint64_t> overflowed{0};

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

}  // namespace

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
  if (granules >= refused_ && listed_ < kWorthSettling) return kGranules;
  std::size_t found = find_hole(granules, alignment);
  // Granules that wait in lists come before new ones.
  if (listed_ != 0 && found + granules > high_water_) {
    settle();
    found = find_hole(granules, alignment);
  }
  if (found == kGranules) refused_ = static_cast<std::uint16_t>(std::min<std::size_t>(refused_, granules));
  return found;
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

std::uint64_t SlotHeap::overflowed_blocks() noexcept { return overflowed.load(std::memory_order_relaxed); }

void* SlotHeap::obtain_outside(std::size_t bytes, std::size_t alignment) noexcept {
  void* block = obtain_overflow_block(bytes, alignment);
  if (block == nullptr) return nullptr;
  overflowed.fetch_add(1, std::memory_order_relaxed);
  ++overflow_.blocks;
  overflow_.bytes += static_cast<std::uint32_t>(overflow_block_bytes(block));
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
  --overflow_.blocks;
  overflow_.bytes -= static_cast<std::uint32_t>(overflow_block_bytes(block));
  release_overflow_block(block);
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

// ---- resizing

std::size_t SlotHeap::start_of(const void* block) const noexcept {
  const std::size_t first = index_of(block);
  if (at(first) != block || !starts_.test(first)) die("released twice, or not a block");
  return first;
}

std::size_t SlotHeap::capacity(const void* block) const noexcept {
  if (!contains(block)) return overflow_block_bytes(block);
  const std::size_t first = start_of(block);
  return (block_end(first) - first) * kGranuleBytes;
}

void* SlotHeap::resize_in_place(void* block, std::size_t bytes) noexcept {
  const std::size_t before = capacity(block);
  const bool inside = contains(block);
  // On the C heap a block that shrinks by half may fit into the slot again.
  if (bytes > before || (!inside && bytes < before / 2)) return nullptr;
  if (inside) unpoison(block, before);
  wipe(static_cast<std::byte*>(block) + bytes, before - bytes);
  if (inside) poison(static_cast<std::byte*>(block) + bytes, before - bytes);
  return block;
}

void* SlotHeap::move(void* from, void* to, std::size_t bytes) noexcept {
  if (to == nullptr) return nullptr;
  const std::size_t before = capacity(from);
  if (contains(from)) unpoison(from, before);
  std::memcpy(to, from, std::min(before, bytes));
  release(from);
  return to;
}

void* SlotHeap::resize(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return obtain(bytes);
  if (void* same = resize_in_place(block, bytes)) return same;
  return move(block, obtain(bytes), bytes);
}

void* SlotHeap::resize_inside(void* block, std::size_t bytes) noexcept {
  if (void* same = resize_in_place(block, bytes)) return same;
  return move(block, obtain_inside(bytes), bytes);
}

}  // namespace h2park::freezer
