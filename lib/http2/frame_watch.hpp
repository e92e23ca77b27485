// FrameWatch: finds the frame boundaries in what a client sends, by arithmetic only.
//
// nghttp2 does not tell about frames that it ignores, nor about frames that have begun. The watch does: the
// session counts the former (Glitches), times the latter (a drip of single bytes must not live for ever), and
// looks at a frame before nghttp2 does where nghttp2 is too lenient.
//
//   preface --24 bytes--> head --9 bytes--> payload --length bytes--> head ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace h2park::http2 {

/// A frame's header (RFC 9113 4.1).
struct FrameHead {
  std::uint32_t length = 0;
  // 16 bits wide: what padding holds would be kept with the connection.
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  std::int32_t stream = 0;
};

/// Thread: the connection's.
class FrameWatch {
 public:
  enum class Event : std::uint8_t {
    kNone,  ///< the input is used up
    kHead,  ///< a frame header is complete: head() is valid until kEnd
    kEnd,   ///< the frame's last byte was seen; payload_word() is valid
  };
  struct Step {
    std::size_t bytes;  ///< taken from the input
    Event event;
  };

  /// Goes on to the next event. Call it again with the rest until it says kNone.
  Step step(std::span<const std::byte> input);

  const FrameHead& head() const { return head_; }
  /// The payload's first four bytes, as far as there were any.
  std::uint32_t payload_word() const { return payload_word_; }
  /// No frame has begun.
  bool between_frames() const { return state_ == State::kHead && have_ == 0; }
  bool in_preface() const { return state_ == State::kPreface; }
  /// A frame's header is complete, its payload is not.
  bool in_payload() const { return state_ == State::kPayload; }

 private:
  enum class State : std::uint8_t { kPreface, kHead, kPayload };
  Step take_head(std::span<const std::byte> input);
  Step take_payload(std::span<const std::byte> input);

  State state_ = State::kPreface;
  std::uint8_t have_ = 0;  // bytes of the preface or of the header
  std::array<std::byte, 9> bytes_{};
  FrameHead head_;
  std::uint32_t left_ = 0;  // of the payload
  std::uint32_t payload_word_ = 0;
};

}  // namespace h2park::http2
