// Library: nghttp2's callback table and options, made once per serving thread and shared by its sessions.
#pragma once

#include "http/session.hpp"

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace h2park::http2 {

/// Unread request bodies of all streams of a connection together: the connection window, which is refilled as
/// handlers read, so it is the bound. 1 MiB lets sixteen stalled uploads (64 KiB each, the default stream
/// window, RFC 9113 6.9.2) pile up before a seventeenth has to wait for them.
inline constexpr std::int32_t kConnectionWindow = 1024 * 1024;

/// Immutable. Lifetime: outlives the sessions. Thread: any.
class Library {
 public:
  explicit Library(const http::SessionOptions& options);

  const nghttp2_session_callbacks* callbacks() const { return callbacks_.get(); }
  const nghttp2_option* option() const { return option_.get(); }
  /// What nghttp2 is told of our settings. MAX_CONCURRENT_STREAMS is missing: nghttp2 would end the
  /// connection over it, while we answer REFUSED_STREAM, which the client may retry (RFC 9113 5.1.2).
  std::span<const nghttp2_settings_entry> library_settings() const { return std::span(settings_).subspan(1); }
  /// The SETTINGS frame that goes out in place of nghttp2's.
  std::span<const std::byte> settings_frame() const { return std::as_bytes(std::span(settings_frame_)); }

 private:
  static constexpr std::size_t kSettings = 3;
  static constexpr std::size_t kFrameHeadBytes = 9;
  static constexpr std::size_t kSettingBytes = 6;

  struct Release {
    void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
    void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
  };

  std::unique_ptr<nghttp2_session_callbacks, Release> callbacks_;
  std::unique_ptr<nghttp2_option, Release> option_;
  std::array<nghttp2_settings_entry, kSettings> settings_;
  std::array<std::uint8_t, kFrameHeadBytes + kSettings * kSettingBytes> settings_frame_{};
};

}  // namespace h2park::http2
