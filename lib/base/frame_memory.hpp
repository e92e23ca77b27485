// Where coroutine frames live, and how many bytes they take.
//
// A frame comes from the thread's current FrameSource (a connection's own memory, so that the frame can
// move into its slot) or, without one, from the thread's free lists. A 16-byte header before each frame
// remembers its origin, so that it can be released while another source is current.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace h2park {

/// Allocates a frame. Thread: freed on the thread that allocated it.
void* allocate_frame(std::size_t bytes);
void free_frame(void* frame) noexcept;

/// Ends the process unless `frame` is what allocate_frame() returned last on this thread: the guard of
/// base/task.hpp against frames that the compiler laid out wrongly.
void require_newest_frame(const void* frame) noexcept;

/// Bytes in live frames of the calling thread, headers included.
std::size_t live_frame_bytes() noexcept;

/// While alive, the calling thread's new frames come from `source`.
/// Lifetime: `source` outlives the frames taken from it.
class FrameSourceScope {
 public:
  explicit FrameSourceScope(std::pmr::memory_resource* source) noexcept;
  ~FrameSourceScope();
  FrameSourceScope(const FrameSourceScope&) = delete;
  FrameSourceScope& operator=(const FrameSourceScope&) = delete;

 private:
  std::pmr::memory_resource* before_;
};

}  // namespace h2park
