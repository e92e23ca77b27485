#include "freezer/image_store.hpp"

#include "freezer/private_pages.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace h2park::freezer {
namespace {

// A block with pages of its own begins with their length.
constexpr std::size_t kLengthBytes = sizeof(std::size_t);

}  // namespace

ImageStore::~ImageStore() {
  assert(chunks_.empty());
  // In a release build a forgotten image shall not point into nothing.
  if (!chunks_.empty()) {
    for (auto& group : groups_) group.release();  // NOLINT(bugprone-unused-return-value)
  }
}

std::byte* ImageStore::Block::data() const {
  auto* begin = reinterpret_cast<std::byte*>(tagged_ & ~std::uintptr_t{1});
  return has_own_pages() ? begin + kLengthBytes : begin;
}

std::size_t ImageStore::Block::capacity() const {
  if (!has_own_pages()) return SlotHeap::of(data())->capacity(data());
  std::size_t length;
  std::memcpy(&length, data() - kLengthBytes, sizeof length);
  return length - kLengthBytes;
}

ImageStore::Block ImageStore::obtain(std::size_t bytes) {
  Block block;
  if (bytes <= kMostInChunk) {
    block.tagged_ = reinterpret_cast<std::uintptr_t>(obtain_in_chunks(bytes));
    return block;
  }
  const std::size_t length = bytes + kLengthBytes;
  void* pages = map_private_pages(length);
  if (pages == nullptr) return {};
  std::memcpy(pages, &length, sizeof length);
  block.tagged_ = reinterpret_cast<std::uintptr_t>(pages) | 1;
  return block;
}

void* ImageStore::obtain_in_chunks(std::size_t bytes) {
  for (const auto& chunk : chunks_) {
    if (bytes >= chunk->refused) continue;
    if (void* block = chunk->heap->obtain_inside(bytes)) return block;
    chunk->refused = bytes;
  }
  Chunk* added = add_chunk();
  return added == nullptr ? nullptr : added->heap->obtain_inside(bytes);
}

ImageStore::Chunk* ImageStore::add_chunk() {
  for (const auto& group : groups_) {
    if (SlotHeap* heap = group->take()) {
      chunks_.push_back(std::make_unique<Chunk>(this, group.get(), heap));
      heap->set_root(chunks_.back().get());
      return chunks_.back().get();
    }
  }
  Result<Slots> group = Slots::reserve(kChunksPerGroup, 1);
  if (!group) return nullptr;
  groups_.push_back(std::make_unique<Slots>(std::move(*group)));
  return add_chunk();
}

void ImageStore::release(Block block) {
  if (block.has_own_pages()) {
    std::byte* pages = block.data() - kLengthBytes;
    unmap_private_pages(pages, block.capacity() + kLengthBytes);
    return;
  }
  SlotHeap* heap = SlotHeap::of(block.data());
  heap->release(block.data());
  auto* chunk = static_cast<Chunk*>(heap->root());
  chunk->refused = SIZE_MAX;
  if (heap->live_blocks() == 0) chunk->store->remove(chunk);
}

void ImageStore::remove(Chunk* chunk) {
  (void)chunk->group->give_back(*chunk->heap);
  std::erase_if(chunks_, [chunk](const auto& other) { return other.get() == chunk; });
}

}  // namespace h2park::freezer
