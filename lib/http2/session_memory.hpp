// SessionMemory: what nghttp2 allocates with, on top of the connection's memory resource.
//
// 1. Each block has a 16-byte header with its size, which pmr wants back on release.
// 2. While nghttp2 creates its session, the block of a frame's size is answered with the thread's
//    FrameBuffer. Releasing it does nothing.
#pragma once

#include "http2/frame_buffer.hpp"

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <memory_resource>

namespace h2park::http2 {

/// Lifetime: outlives the nghttp2 session; does not move. Thread: the connection's.
/// Errors: exhausted memory is a null pointer, which nghttp2 turns into NGHTTP2_ERR_NOMEM.
class SessionMemory {
 public:
  SessionMemory(std::pmr::memory_resource* memory, FrameBuffer& frame_buffer)
      : memory_(memory), frame_buffer_(frame_buffer) {}
  SessionMemory(const SessionMemory&) = delete;
  SessionMemory& operator=(const SessionMemory&) = delete;

  /// The table for nghttp2_session_server_new3, which copies it.
  nghttp2_mem functions();
  /// Around nghttp2_session_server_new3 only.
  void set_creating(bool creating) { creating_ = creating; }
  /// nghttp2 got the shared buffer instead of one of its own.
  bool shares_frame_buffer() const { return shared_; }

 private:
  void* allocate(std::size_t bytes) noexcept;
  void release(void* block) noexcept;
  void* resize(void* block, std::size_t bytes) noexcept;

  std::pmr::memory_resource* memory_;
  FrameBuffer& frame_buffer_;
  bool creating_ = false;
  bool shared_ = false;
};

}  // namespace h2park::http2
