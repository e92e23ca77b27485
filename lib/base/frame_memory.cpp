#include "base/frame_memory.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace h2park {
namespace {

struct alignas(16) Header {
  std::pmr::memory_resource* source;  // null: the thread's free lists
  std::uint32_t bytes;                // with this header
};
static_assert(sizeof(Header) == 16);

// Frames of up to 2 KiB are recycled in 64-byte classes. 32 of each is enough for the handlers that run in
// one turn of a loop; more would only keep a flood's memory for life.
constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kClasses = 32;
constexpr std::uint8_t kKeptPerClass = 32;

struct FreeFrame {
  FreeFrame* next;
};

struct ThreadFrames {
  std::pmr::memory_resource* current = nullptr;
  std::size_t live_bytes = 0;
  const void* newest = nullptr;
  std::array<FreeFrame*, kClasses> free{};
  std::array<std::uint8_t, kClasses> kept{};

  ~ThreadFrames() {
    for (FreeFrame* frame : free) {
      while (frame != nullptr) {
        FreeFrame* next = frame->next;
        ::operator delete(frame);
        frame = next;
      }
    }
  }
};

thread_local ThreadFrames frames;

std::size_t class_of(std::size_t bytes) { return (bytes + kClassBytes - 1) / kClassBytes; }

void* take_from_lists(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  if (size_class < kClasses && frames.free[size_class] != nullptr) {
    FreeFrame* frame = frames.free[size_class];
    frames.free[size_class] = frame->next;
    --frames.kept[size_class];
    return frame;
  }
  return ::operator new(size_class* kClassBytes);
}

void return_to_lists(void* block, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= kClasses || frames.kept[size_class] == kKeptPerClass) {
    ::operator delete(block);
    return;
  }
  frames.free[size_class] = new (block) FreeFrame{frames.free[size_class]};
  ++frames.kept[size_class];
}

}  // namespace

void* allocate_frame(std::size_t bytes) {
  const std::size_t total = bytes + sizeof(Header);
  void* block =
      frames.current != nullptr ? frames.current->allocate(total, alignof(Header)) : take_from_lists(total);
  auto* header = new (block) Header{frames.current, static_cast<std::uint32_t>(total)};
  frames.live_bytes += total;
  frames.newest = header + 1;
  return header + 1;
}

void free_frame(void* frame) noexcept {
  auto* header = static_cast<Header*>(frame) - 1;
  const auto [source, total] = *header;
  frames.live_bytes -= total;
  if (source != nullptr) {
    source->deallocate(header, total, alignof(Header));
  } else {
    return_to_lists(header, total);
  }
}

void require_newest_frame(const void* frame) noexcept {
  if (frame == frames.newest) return;
  std::fputs("h2park: a coroutine's frame is laid out wrongly: see rule 5 in base/task.hpp\n", stderr);
  std::abort();
}

std::size_t live_frame_bytes() noexcept { return frames.live_bytes; }

FrameSourceScope::FrameSourceScope(std::pmr::memory_resource* source) noexcept : before_(frames.current) {
  frames.current = source;
}
FrameSourceScope::~FrameSourceScope() { frames.current = before_; }

}  // namespace h2park
