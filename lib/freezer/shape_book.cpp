#include "freezer/shape_book.hpp"

#include <algorithm>

namespace h2park::freezer {

std::uint8_t ShapeBook::find(const SlotHeap& heap, const KnownWords& known) {
  const std::uint64_t hash = heap.layout_hash();
  ++calls_;
  for (Entry& entry : entries_) {
    if (!entry.shape || entry.shape->layout_hash() != hash || !entry.shape->fits(heap)) continue;
    entry.used = calls_;
    return static_cast<std::uint8_t>(&entry - entries_.data());
  }
  if (!seen_often(hash)) return kNone;
  Entry* place = place_for_another();
  if (place == nullptr) return kNone;
  *place = {Shape::learn(heap, known), 0, calls_};
  return place->shape ? static_cast<std::uint8_t>(place - entries_.data()) : kNone;
}

const Shape* ShapeBook::at(std::uint8_t number) const {
  return number < kMost ? entries_[number].shape.get() : nullptr;
}

std::size_t ShapeBook::count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.shape != nullptr; }));
}

bool ShapeBook::seen_often(std::uint64_t layout_hash) {
  Sight& sight = sights_[layout_hash % sights_.size()];
  if (sight.layout_hash != layout_hash) sight = {layout_hash, 0};
  return ++sight.count > kSights;
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
