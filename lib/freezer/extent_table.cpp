#include "freezer/extent_table.hpp"

#include <algorithm>
#include <cstring>

namespace h2park::freezer {
namespace {

// An extent's code: its kind above its granules.
constexpr unsigned kKindShift = 14;
constexpr std::uint16_t kGranulesMask = (1U << kKindShift) - 1;
static_assert(kGranules <= kGranulesMask);

// A tagged word: tag (16 bits), target (16), number (16), offset (16).
constexpr std::uint64_t make(std::uint64_t target, std::uint64_t number, std::uint64_t offset) {
  return ExtentTable::kTag << 48 | target << 32 | number << 16 | offset;
}
static_assert(kSlotBytes <= 1U << 16);

}  // namespace

void ExtentTable::add(Extent extent) {
  const auto kind = static_cast<std::size_t>(extent.kind);
  const auto index = static_cast<std::uint16_t>(count_++);
  extents_[index] = extent;
  number_[index] = kind_counts_[kind];
  by_kind_[kind][kind_counts_[kind]++] = index;
  if (extent.kind != Extent::Kind::kHole) block_granules_ += extent.granules;
  std::fill_n(owner_.begin() + extent.first, extent.granules, index);
}

void ExtentTable::finish() {
  listed_ = count_;
  const std::size_t end = listed_ == 0
                              ? SlotHeap::first_granule()
                              : std::size_t{extents_[listed_ - 1].first} + extents_[listed_ - 1].granules;
  // So that a pointer to freed memory above the last block, or to its end, has something to be relative to.
  if (end < kGranules) {
    add({static_cast<std::uint16_t>(end), static_cast<std::uint16_t>(kGranules - end), Extent::Kind::kHole});
  }
}

void ExtentTable::read(const SlotHeap& heap) {
  count_ = block_granules_ = 0;
  kind_counts_ = {};
  for (std::size_t granule = SlotHeap::first_granule(); granule < kGranules;) {
    const Extent extent = heap.extent_at(granule);
    granule += extent.granules;
    if (extent.kind != Extent::Kind::kHole || granule < kGranules) add(extent);
  }
  finish();
}

bool ExtentTable::read(std::span<const std::byte> codes) {
  count_ = block_granules_ = 0;
  kind_counts_ = {};
  std::size_t granule = SlotHeap::first_granule();
  for (std::size_t at = 0; at + kCodeBytes <= codes.size(); at += kCodeBytes) {
    std::uint16_t code;
    std::memcpy(&code, &codes[at], sizeof code);
    const unsigned kind = code >> kKindShift;
    const auto granules = static_cast<std::uint16_t>(code & kGranulesMask);
    if (kind > static_cast<unsigned>(Extent::Kind::kHole) || granules == 0 || granules > kGranules - granule)
      return false;
    add({static_cast<std::uint16_t>(granule), granules, static_cast<Extent::Kind>(kind)});
    granule += granules;
  }
  finish();
  return true;
}

void ExtentTable::write(std::span<std::byte> codes) const {
  for (std::size_t index = 0; index < listed_; ++index) {
    const Extent& extent = extents_[index];
    const auto code =
        static_cast<std::uint16_t>(static_cast<unsigned>(extent.kind) << kKindShift | extent.granules);
    std::memcpy(&codes[index * kCodeBytes], &code, sizeof code);
  }
}

std::span<const std::uint16_t> ExtentTable::of_kind(Extent::Kind kind) const {
  const auto at = static_cast<std::size_t>(kind);
  return {by_kind_[at].data(), kind_counts_[at]};
}

std::uint64_t ExtentTable::encode(std::size_t offset, std::size_t own) const {
  const std::size_t granule = offset / kGranuleBytes;
  if (granule < SlotHeap::first_granule()) return make(kHeader, 0, offset);
  const std::size_t index = owner_[granule];
  const Extent& extent = extents_[index];
  const std::size_t inside = offset - extent.first * kGranuleBytes;
  if (index == own) return make(kSelf, 0, inside);
  return make(static_cast<std::uint64_t>(extent.kind), number_[index], inside);
}

std::optional<std::size_t> ExtentTable::decode(std::uint64_t word, std::size_t own) const {
  const std::size_t target = word >> 32 & 0xFFFF;
  const std::size_t number = word >> 16 & 0xFFFF;
  const std::size_t inside = word & 0xFFFF;
  if (target == kHeader) {
    return inside < SlotHeap::first_granule() * kGranuleBytes ? std::optional(inside) : std::nullopt;
  }
  std::size_t index = own;
  if (target != kSelf) {
    if (target > kSelf || number >= kind_counts_[target]) return std::nullopt;
    index = by_kind_[target][number];
  }
  const Extent& extent = extents_[index];
  if (inside >= extent.granules * kGranuleBytes) return std::nullopt;
  return extent.first * kGranuleBytes + inside;
}

}  // namespace h2park::freezer
