#include "freezer/slots.hpp"

#include "freezer/poison.hpp"
#include "freezer/slot_pages.hpp"

#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace h2park::freezer {

struct Slots::Shared {
  Shared(std::size_t count, std::size_t most) : free((count + 63) / 64, ~std::uint64_t{0}), most_warm(most) {
    if (count % 64 != 0) free.back() = (std::uint64_t{1} << count % 64) - 1;
    warm.reserve(most_warm);
  }

  /// The lowest free index, which is free no more; `none` if there is none.
  std::size_t take_lowest(std::size_t none) {
    for (; first_word < free.size(); ++first_word) {
      std::uint64_t& word = free[first_word];
      if (word == 0) continue;
      const auto bit = static_cast<std::size_t>(std::countr_zero(word));
      word &= word - 1;
      return first_word * 64 + bit;
    }
    return none;
  }
  void put(std::size_t index) {
    free[index / 64] |= std::uint64_t{1} << index % 64;
    first_word = std::min(first_word, index / 64);
  }

  std::mutex mutex;
  // guarded by mutex
  std::vector<std::uint64_t> free;  // a bit per slot
  std::size_t first_word = 0;       // no slot is free in a word before it
  const std::size_t most_warm;
  std::vector<std::uint32_t> warm;  // free slots that have pages, all zero
  std::size_t taken = 0;
  std::vector<std::uint32_t> quarantined;
};

Result<Slots> Slots::reserve(std::size_t count, std::size_t most_warm) {
  const auto refused = [&](int why) {
    return system_failure("cannot reserve address space for " + std::to_string(count) + " connections", why);
  };
  // One slot more than needed, to align the first.
  if (count == 0 || count > UINT32_MAX || count > SIZE_MAX / kSlotBytes - 1) return refused(EINVAL);
  const std::size_t mapped = (count + 1) * kSlotBytes;
  void* mapping =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return refused(errno);
  // A huge page for each connection would cost a hundred times what the freezer saves. A kernel without huge
  // pages refuses the advice, and has none.
  madvise(mapping, mapped, MADV_NOHUGEPAGE);
  madvise(mapping, mapped, MADV_DONTDUMP);
  return Slots(static_cast<std::byte*>(mapping), mapped, count, most_warm);
}

Slots::Slots(std::byte* mapping, std::size_t mapped, std::size_t count, std::size_t most_warm)
    : mapping_(mapping), mapped_(mapped), count_(count), shared_(std::make_unique<Shared>(count, most_warm)) {
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  begin_ = mapping + (kSlotBytes - address % kSlotBytes) % kSlotBytes;
  poison(begin_, count_ * kSlotBytes);
  watch_for_pointers(begin_, count_ * kSlotBytes);
}

Slots::Slots(Slots&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      begin_(std::exchange(other.begin_, nullptr)),
      count_(std::exchange(other.count_, 0)),
      shared_(std::move(other.shared_)) {}

Slots::~Slots() {
  if (mapping_ == nullptr) return;
  // What keeps a quarantined slot's blocks may use them until the process ends.
  if (quarantined_blocks() != 0) return;
  unwatch_for_pointers(begin_, count_ * kSlotBytes);
  unpoison(begin_, count_ * kSlotBytes);
  munmap(mapping_, mapped_);
}

std::size_t Slots::index_of(const SlotHeap& heap) const {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&heap) - begin_) / kSlotBytes;
}

SlotHeap* Slots::take() {
  std::size_t index = count_;
  {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->warm.empty()) {
      index = shared_->warm.back();
      shared_->warm.pop_back();
    } else {
      index = shared_->take_lowest(count_);
    }
    if (index == count_) return nullptr;
    ++shared_->taken;
  }
  return SlotHeap::create(address(index));
}

std::size_t Slots::give_back(SlotHeap& heap) {
  const std::size_t left = heap.live_blocks();
  const std::size_t index = index_of(heap);
  if (left != 0) {
    const std::lock_guard lock(shared_->mutex);
    --shared_->taken;
    shared_->quarantined.push_back(static_cast<std::uint32_t>(index));
    return left;
  }
  const std::size_t touched = heap.touched_bytes();
  // Released blocks are zero already, but for the links of their lists; with these gone and the books, all
  // is.
  heap.settle();
  unpoison(&heap, kSlotBytes);
  std::memset(static_cast<void*>(&heap), 0, sizeof(SlotHeap));
  poison(&heap, kSlotBytes);
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->warm.size() < shared_->most_warm) {
      shared_->warm.push_back(static_cast<std::uint32_t>(index));
      --shared_->taken;
      return 0;
    }
  }
  discard_pages(&heap, touched);
  put_back(index);
  return 0;
}

void Slots::trim() {
  const std::lock_guard lock(shared_->mutex);
  for (const std::uint32_t index : shared_->warm) {
    discard_pages(address(index), kSlotBytes);
    shared_->put(index);
  }
  shared_->warm.clear();
}

void Slots::give_back_frozen(std::size_t index) { put_back(index); }

void Slots::put_back(std::size_t index) {
  const std::lock_guard lock(shared_->mutex);
  shared_->put(index);
  --shared_->taken;
}

std::size_t Slots::taken() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->taken;
}

std::size_t Slots::quarantined() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->quarantined.size();
}

std::size_t Slots::quarantined_blocks() const {
  const std::lock_guard lock(shared_->mutex);
  std::size_t blocks = 0;
  for (const std::uint32_t index : shared_->quarantined) {
    blocks += static_cast<const SlotHeap*>(address(index))->live_blocks();
  }
  return blocks;
}

}  // namespace h2park::freezer
