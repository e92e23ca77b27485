// FrameBuffer: the one outbound frame buffer that all HTTP/2 sessions of a thread share.
//
// nghttp2 allocates a block of 16,394 bytes per session to serialize frames into and keeps it for life. Its
// content only matters from one nghttp2_session_mem_send() to the copy-out, so a thread needs one. That holds
// as long as produce() calls mem_send until it returns 0, hands each piece to the sink before the next call,
// and no callback answers WOULDBLOCK or PAUSE: then nothing is left in the buffer when another session's turn
// comes.
#pragma once

#include <array>
#include <cstddef>

namespace h2park::http2 {

/// Lifetime: outlives every session made with it. Thread: one per serving thread.
class FrameBuffer {
 public:
  /// What nghttp2 asks for: a frame header, the pad length and 16 KiB of payload.
  static constexpr std::size_t kNeeded = 16'394;
  /// A little more, so that another nghttp2 1.x that rounds up still fits.
  static constexpr std::size_t kBytes = 16'640;

  std::byte* data() { return bytes_.data(); }
  static bool fits(std::size_t bytes) { return bytes >= kNeeded && bytes <= kBytes; }

 private:
  alignas(std::max_align_t) std::array<std::byte, kBytes> bytes_;
};

}  // namespace h2park::http2
