#include "http2/library.hpp"

#include "http2/callbacks.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace h2park::http2 {
namespace {

// Replies (SETTINGS ACK, PING ACK) that wait because the transport is full. A well-behaved client has one or
// two.
constexpr std::size_t kMaxReplies = 100;
// Seven settings are defined; twice that, and GREASE, still fits.
constexpr std::size_t kMaxSettings = 32;
// A field block at the limit comes in full frames; beside them some clients send small or empty ones.
constexpr std::size_t kSpareContinuations = 8;
constexpr std::size_t kFrameBytes = 16 * 1024;
// Response heads, which handlers make: 256 KiB is more than any client takes.
constexpr std::size_t kMaxResponseHeadBytes = 256 * 1024;
// nghttp2's own limit for RST_STREAM frames runs on the system's clock and answers INTERNAL_ERROR. Glitches
// is stricter; this is the second line only.
constexpr std::uint64_t kResetBurst = 10'000;
constexpr std::uint64_t kResetsPerSecond = 1'000;

}  // namespace

Library::Library(const http::SessionOptions& options)
    : settings_{{{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.max_streams},
                 {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                  static_cast<std::uint32_t>(std::min<std::size_t>(
                      options.max_header_bytes, std::numeric_limits<std::uint32_t>::max()))},
                 // Priorities are not used (RFC 9113 5.3, RFC 9218 2.1): no trees are built.
                 {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}}} {
  nghttp2_session_callbacks* callbacks = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
  callbacks_.reset(callbacks);
  set_callbacks(*callbacks);

  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
  option_.reset(option);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_max_outbound_ack(option, kMaxReplies);
  nghttp2_option_set_max_settings(option, kMaxSettings);
  nghttp2_option_set_max_continuations(option, kSpareContinuations + options.max_header_bytes / kFrameBytes);
  nghttp2_option_set_max_send_header_block_length(option, kMaxResponseHeadBytes);
  nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst, kResetsPerSecond);

  settings_frame_[2] = static_cast<std::uint8_t>(kSettings * kSettingBytes);
  settings_frame_[3] = NGHTTP2_SETTINGS;
  nghttp2_pack_settings_payload(settings_frame_.data() + kFrameHeadBytes, kSettings * kSettingBytes,
                                settings_.data(), settings_.size());
}

}  // namespace h2park::http2
