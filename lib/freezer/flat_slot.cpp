// The way there; the way back is flat_slot_restore.cpp.
#include "freezer/flat_slot.hpp"

#include "freezer/flat_slot_head.hpp"
#include "freezer/poison.hpp"

#include <cstring>

namespace h2park::freezer {

std::uint64_t FlatSlot::translated(std::uint64_t word, std::size_t own, std::uintptr_t slot) {
  if (word - slot < kSlotBytes) return extents_.encode(word - slot, own);
  if (ExtentTable::tagged(word)) {
    exceptions_[exception_count_++] = static_cast<std::uint16_t>(position() / sizeof word);
  }
  return word;
}

void FlatSlot::end_zero_run() {
  if (zero_run_ >= kLeastZeroRun) {
    runs_[run_count_++] = static_cast<std::uint16_t>(data_run_);
    runs_[run_count_++] = static_cast<std::uint16_t>(zero_run_);
    data_run_ = 0;
  } else {
    std::memset(&flat_[size_], 0, zero_run_ * kGranuleBytes);
    size_ += zero_run_ * kGranuleBytes;
    data_run_ += zero_run_;
  }
  zero_run_ = 0;
}

void FlatSlot::write_granule(const std::byte* granule, std::size_t own, std::uintptr_t slot) {
  std::array<std::uint64_t, kGranuleBytes / sizeof(std::uint64_t)> words;
  std::memcpy(words.data(), granule, kGranuleBytes);
  if ((words[0] | words[1]) == 0) {
    ++zero_run_;
    return;
  }
  if (zero_run_ != 0) end_zero_run();
  for (const std::uint64_t word : words) {
    const std::uint64_t written = translated(word, own, slot);
    std::memcpy(&flat_[size_], &written, sizeof written);
    size_ += sizeof written;
  }
  ++data_run_;
}

// The block, or what the filter leaves of it.
const std::byte* FlatSlot::stripped(const std::byte* block, std::size_t bytes, std::size_t index) {
  if (filter_ == nullptr || stripped_count_ == kMostStripped || !filter_->knows(bytes)) return block;
  const std::span copy = std::span(copy_).first(bytes);
  std::memcpy(copy.data(), block, bytes);
  if (!filter_->strip(copy, block)) return block;
  stripped_[stripped_count_++] = static_cast<std::uint16_t>(index);
  return copy.data();
}

void FlatSlot::write_contents(const SlotHeap& heap) {
  const auto* slot = reinterpret_cast<const std::byte*>(&heap);
  run_count_ = exception_count_ = stripped_count_ = data_run_ = zero_run_ = 0;
  contents_begin_ = size_;
  for (const Extent::Kind kind : kContentOrder) {
    for (const std::size_t index : extents_.of_kind(kind)) {
      const std::byte* block = slot + extents_[index].first * kGranuleBytes;
      const std::size_t bytes = extents_[index].granules * kGranuleBytes;
      unpoison(block, bytes);
      const std::byte* content = kind == Extent::Kind::kStructure ? stripped(block, bytes, index) : block;
      for (std::size_t at = 0; at < bytes; at += kGranuleBytes) {
        write_granule(content + at, index, reinterpret_cast<std::uintptr_t>(slot));
      }
    }
  }
  // Zeros at the end are not written: what is not there is zero.
  if (data_run_ != 0) runs_[run_count_++] = static_cast<std::uint16_t>(data_run_);
}

std::span<const std::byte> FlatSlot::flatten(SlotHeap& heap) {
  heap.settle();
  extents_.read(heap);
  const std::size_t extents = extents_.listed().size();
  extents_.write(std::span(flat_).subspan(sizeof(Head), extents * ExtentTable::kCodeBytes));
  size_ = sizeof(Head) + extents * ExtentTable::kCodeBytes;
  write_contents(heap);
  const auto* root = static_cast<const std::byte*>(heap.root());
  const Head head{
      .extents = static_cast<std::uint16_t>(extents),
      .data_granules = static_cast<std::uint16_t>(position() / kGranuleBytes),
      .runs = static_cast<std::uint16_t>(run_count_),
      .exceptions = static_cast<std::uint16_t>(exception_count_),
      .stripped = static_cast<std::uint16_t>(stripped_count_),
      .unused = 0,
      .root =
          static_cast<std::uint32_t>(root == nullptr ? 0 : root - reinterpret_cast<const std::byte*>(&heap)),
      .overflow = heap.overflow(),
  };
  std::memcpy(flat_.data(), &head, sizeof head);
  const auto append = [this](const std::uint16_t* list, std::size_t count) {
    std::memcpy(&flat_[size_], list, count * sizeof *list);
    size_ += count * sizeof *list;
  };
  append(runs_.data(), run_count_);
  append(exceptions_.data(), exception_count_);
  append(stripped_.data(), stripped_count_);
  return {flat_.data(), size_};
}

void FlatSlot::clear() {
  explicit_bzero(flat_.data(), size_);
  if (filter_ != nullptr) explicit_bzero(copy_.data(), copy_.size());
  size_ = 0;
}

}  // namespace h2park::freezer
