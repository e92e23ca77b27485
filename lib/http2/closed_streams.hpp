// ClosedStreams: the last few streams that the client itself has ended, so that more DATA or HEADERS on them
// is known to be its fault (RFC 9113 5.1, "closed": connection error STREAM_CLOSED).
//
// nghttp2 would keep whole closed streams for that. What matters fits into 32 bytes: a stream that is not
// listed was reset by us, or is long gone; frames on it are discarded, as 5.1 asks for the frames that were
// under way when our RST_STREAM left.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace h2park::http2 {

class ClosedStreams {
 public:
  void add(std::int32_t id) {
    ids_[next_] = id;
    next_ = static_cast<std::uint8_t>((next_ + 1) % ids_.size());
  }
  bool contains(std::int32_t id) const { return id != 0 && std::ranges::find(ids_, id) != ids_.end(); }

 private:
  std::array<std::int32_t, 8> ids_{};  // 0 is no stream
  std::uint8_t next_ = 0;
};

}  // namespace h2park::http2
