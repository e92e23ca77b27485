#include "http2/session_memory.hpp"

#include <cstring>
#include <new>

namespace h2park::http2 {
namespace {

struct alignas(16) BlockHeader {
  std::size_t bytes;  // usable, without this header
};
static_assert(sizeof(BlockHeader) == 16);

constexpr std::size_t kGranule = 16;

BlockHeader* header_of(void* block) { return static_cast<BlockHeader*>(block) - 1; }

SessionMemory& self(void* context) { return *static_cast<SessionMemory*>(context); }

}  // namespace

nghttp2_mem SessionMemory::functions() {
  return {
      .mem_user_data = this,
      .malloc = [](std::size_t bytes, void* context) { return self(context).allocate(bytes); },
      .free = [](void* block, void* context) { self(context).release(block); },
      .calloc =
          [](std::size_t count, std::size_t bytes, void* context) {
            void* block = self(context).allocate(count * bytes);
            return block == nullptr ? nullptr : std::memset(block, 0, count * bytes);
          },
      .realloc = [](void* block, std::size_t bytes,
                    void* context) { return self(context).resize(block, bytes); },
  };
}

void* SessionMemory::allocate(std::size_t bytes) noexcept {
  if (creating_ && !shared_ && FrameBuffer::fits(bytes)) {
    shared_ = true;
    return frame_buffer_.data();
  }
  const std::size_t usable = (bytes + kGranule - 1) / kGranule * kGranule;
  try {
    void* raw = memory_->allocate(usable + sizeof(BlockHeader), alignof(BlockHeader));
    return new (raw) BlockHeader{usable} + 1;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void SessionMemory::release(void* block) noexcept {
  if (block == nullptr || block == frame_buffer_.data()) return;
  BlockHeader* header = header_of(block);
  memory_->deallocate(header, header->bytes + sizeof(BlockHeader), alignof(BlockHeader));
}

void* SessionMemory::resize(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return allocate(bytes);
  // nghttp2 grows its frame buffer only for a read-length callback, which we do not set.
  if (block == frame_buffer_.data()) return bytes <= FrameBuffer::kBytes ? block : nullptr;
  const std::size_t before = header_of(block)->bytes;
  if (bytes <= before) return block;
  void* grown = allocate(bytes);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, block, before);
  release(block);
  return grown;
}

}  // namespace h2park::http2
