// HTTP/2 on the wire, for tests: frames made by hand, so that they can also be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::test {

enum FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kRstStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};

inline constexpr std::uint8_t kNoFlags = 0;
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kEndHeaders = 4;
inline constexpr std::uint8_t kPadded = 8;
inline constexpr std::uint8_t kPriorityFlag = 0x20;

enum ErrorCode : std::uint32_t {
  kNoError = 0,
  kProtocolError = 1,
  kInternalError = 2,
  kFlowControlError = 3,
  kSettingsTimeout = 4,
  kStreamClosed = 5,
  kFrameSizeError = 6,
  kRefusedStream = 7,
  kCancel = 8,
  kCompressionError = 9,
  kEnhanceYourCalm = 11,
};

enum SettingId : std::uint16_t {
  kHeaderTableSize = 1,
  kEnablePush = 2,
  kMaxConcurrentStreams = 3,
  kInitialWindowSize = 4,
  kMaxFrameSize = 5,
  kMaxHeaderListSize = 6,
};

using FieldList = std::vector<std::pair<std::string, std::string>>;
using SettingList = std::vector<std::pair<std::uint16_t, std::uint32_t>>;

std::string number(std::uint64_t value, int bytes);
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload);
std::string settings_frame(const SettingList& settings);
std::string settings_ack();
std::string window_update(std::uint32_t stream, std::uint32_t increment);
std::string rst_stream(std::uint32_t stream, std::uint32_t code);
std::string ping(std::string_view eight_bytes, std::uint8_t flags = kNoFlags);
std::string priority(std::uint32_t stream, std::uint32_t depends_on);
std::string preface();

/// One field as an HPACK literal without indexing, plain text (RFC 7541 6.2.2).
std::string literal(std::string_view name, std::string_view value);
/// One field as an HPACK literal with incremental indexing (6.2.1).
std::string indexed_literal(std::string_view name, std::string_view value);
std::string block(const FieldList& fields);
/// The pseudo-fields of a request, then `more`.
FieldList request(std::string_view method, std::string_view path, const FieldList& more = {});

struct Frame {
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string payload;
};
/// Takes the complete frames off the front of `bytes`.
std::vector<Frame> take_frames(std::string& bytes);
std::uint32_t word(std::string_view bytes, std::size_t at);

}  // namespace h2park::test
