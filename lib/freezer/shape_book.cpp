#include "freezer/shape_book.hpp"

#include <algorithm>

namespace h2park::freezer {

std::optional<ShapeBook::Fit> ShapeBook::subtract(const SlotHeap& heap, const KnownWords& known,
                                                  std::span<std::byte, Shape::kMostResidual> residual) {
  ++calls_;
  const std::uint64_t hash = heap.layout_hash();
  for (std::size_t i = 0; i < kMost; ++i) {
    Entry& entry = entries_[(latest_ + i) % kMost];
    if (!entry.shape || entry.shape->layout_hash() != hash || !entry.shape->fits(heap)) continue;
    if (const auto fit = subtract(entry, heap, residual)) return fit;
  }
  if (!seen_often(hash)) return std::nullopt;
  Entry* place = place_for_another();
  if (place == nullptr) return std::nullopt;
  *place = {Shape::learn(heap, known), 0, 0};
  return subtract(*place, heap, residual);
}

std::optional<ShapeBook::Fit> ShapeBook::subtract(Entry& entry, const SlotHeap& heap,
                                                  std::span<std::byte, Shape::kMostResidual> residual) {
  const auto size = entry.shape->subtract(heap, residual);
  if (!size) return std::nullopt;
  entry.used = calls_;
  latest_ = static_cast<std::uint8_t>(&entry - entries_.data());
  return Fit{latest_, *size};
}

const Shape* ShapeBook::at(std::uint8_t number) const {
  return number < kMost ? entries_[number].shape.get() : nullptr;
}

std::size_t ShapeBook::count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.shape != nullptr; }));
}

// Begins anew when it was: what is learnt may not be good enough for the next ones either.
bool ShapeBook::seen_often(std::uint64_t layout_hash) {
  Sight& sight = sights_[layout_hash % sights_.size()];
  if (sight.layout_hash != layout_hash) sight = {layout_hash, 0};
  if (++sight.count <= kSights) return false;
  sight = {};
  return true;
}

ShapeBook::Entry* ShapeBook::place_for_another() {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    if (!entry.shape) return &entry;
    if (entry.images == 0 && (oldest == nullptr || entry.used < oldest->used)) oldest = &entry;
  }
  return oldest;
}

}  // namespace h2park::freezer
