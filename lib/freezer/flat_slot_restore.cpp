#include "freezer/flat_slot.hpp"
#include "freezer/flat_slot_head.hpp"
#include "freezer/poison.hpp"

#include <cstring>
#include <new>

namespace h2park::freezer {
namespace {

template <class T>
T value_at(std::span<const std::byte> list, std::size_t index) {
  T value;
  std::memcpy(&value, &list[index * sizeof value], sizeof value);
  return value;
}

/// Walks the runs of data and zeros, a granule at a time.
class RunReader {
 public:
  explicit RunReader(std::span<const std::byte> runs) : runs_(runs) {}

  /// Whether the next granule is data.
  bool next() {
    while (left_ == 0) {
      if (at_ == runs_.size() / sizeof(std::uint16_t)) return false;
      left_ = value_at<std::uint16_t>(runs_, at_);
      data_ = at_ % 2 == 0;
      ++at_;
    }
    --left_;
    return data_;
  }

 private:
  std::span<const std::byte> runs_;
  std::size_t at_ = 0;
  std::size_t left_ = 0;
  bool data_ = false;
};

/// Turns the words of the contents back, in order.
class WordReader {
 public:
  WordReader(const ExtentTable& extents, std::span<const std::byte> exceptions, std::uintptr_t slot)
      : extents_(extents), exceptions_(exceptions), slot_(slot) {}

  std::optional<std::uint64_t> next(std::uint64_t word, std::size_t own) {
    const std::size_t position = position_++;
    if (!ExtentTable::tagged(word)) return word;
    if (at_ < exceptions_.size() / sizeof(std::uint16_t) &&
        value_at<std::uint16_t>(exceptions_, at_) == position) {
      ++at_;
      return word;
    }
    const std::optional<std::size_t> offset = extents_.decode(word, own);
    if (!offset) return std::nullopt;
    return slot_ + *offset;
  }

 private:
  const ExtentTable& extents_;
  std::span<const std::byte> exceptions_;
  std::uintptr_t slot_;
  std::size_t position_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

struct FlatSlot::Parts {
  Head head;
  std::span<const std::byte> extents;
  std::span<const std::byte> data;
  std::span<const std::byte> runs;
  std::span<const std::byte> exceptions;
  std::span<const std::byte> stripped;
};

bool FlatSlot::split(std::span<const std::byte> flat, Parts& parts) {
  if (flat.size() < sizeof(Head)) return false;
  std::memcpy(&parts.head, flat.data(), sizeof(Head));
  const Head& head = parts.head;
  std::size_t at = sizeof(Head);
  const auto take = [&](std::size_t bytes) {
    const std::size_t from = std::min(at, flat.size());
    at += bytes;
    return flat.subspan(from, std::min(bytes, flat.size() - from));
  };
  parts.extents = take(head.extents * ExtentTable::kCodeBytes);
  parts.data = take(head.data_granules * kGranuleBytes);
  parts.runs = take(head.runs * sizeof(std::uint16_t));
  parts.exceptions = take(head.exceptions * sizeof(std::uint16_t));
  parts.stripped = take(head.stripped * sizeof(std::uint16_t));
  return at == flat.size() && head.root < kSlotBytes;
}

bool FlatSlot::read_contents(const Parts& parts, std::byte* slot) const {
  RunReader runs(parts.runs);
  WordReader words(extents_, parts.exceptions, reinterpret_cast<std::uintptr_t>(slot));
  std::size_t at = 0;
  for (const Extent::Kind kind : kContentOrder) {
    for (const std::size_t index : extents_.of_kind(kind)) {
      const Extent& extent = extents_[index];
      for (std::size_t granule = extent.first; granule < std::size_t{extent.first} + extent.granules;
           ++granule) {
        if (!runs.next()) continue;  // zero already, and its page perhaps not there yet
        if (at == parts.data.size()) return false;
        for (std::size_t half = 0; half < kGranuleBytes;
             half += sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
          const auto word =
              words.next(value_at<std::uint64_t>(parts.data, at / sizeof(std::uint64_t)), index);
          if (!word) return false;
          std::memcpy(slot + granule * kGranuleBytes + half, &*word, sizeof *word);
        }
      }
    }
  }
  return at == parts.data.size();
}

bool FlatSlot::derive_stripped(const Parts& parts, std::byte* slot) const {
  for (std::size_t i = 0; i < parts.head.stripped; ++i) {
    const auto index = value_at<std::uint16_t>(parts.stripped, i);
    if (filter_ == nullptr || index >= extents_.listed().size()) return false;
    const Extent& extent = extents_[index];
    const std::size_t bytes = extent.granules * kGranuleBytes;
    if (extent.kind != Extent::Kind::kStructure || !filter_->knows(bytes)) return false;
    filter_->derive({slot + extent.first * kGranuleBytes, bytes});
  }
  return true;
}

SlotHeap* FlatSlot::restore(std::span<const std::byte> flat, void* slot) {
  Parts parts;
  if (!split(flat, parts) || !extents_.read(parts.extents)) return nullptr;
  auto* bytes = static_cast<std::byte*>(slot);
  SlotHeap* heap = SlotHeap::recreate(slot, extents_.listed(), parts.head.overflow,
                                      parts.head.root == 0 ? nullptr : bytes + parts.head.root);
  return read_contents(parts, bytes) && derive_stripped(parts, bytes) ? heap : nullptr;
}

}  // namespace h2park::freezer
