// SkippedStreams: ids that the client passed over when it opened a higher stream. They are closed with that,
// and opening one later is a connection error PROTOCOL_ERROR (RFC 9113 5.1.1).
//
// nghttp2 ignores such HEADERS as if the stream had once been open. Clients skip rarely, nearly all of them
// once or never: the last few gaps are enough, and the memory per connection stays small.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace h2park::http2 {

class SkippedStreams {
 public:
  /// `highest`: before; 0 if none was opened. `id`: the one that is opened now. Requires: id > highest.
  void opened(std::int32_t highest, std::int32_t id) {
    const std::int32_t first = highest == 0 ? 1 : highest + 2;
    if (first >= id) return;
    gaps_[next_] = {first, id - 2};
    next_ = static_cast<std::uint8_t>((next_ + 1) % gaps_.size());
  }
  bool contains(std::int32_t id) const {
    return std::ranges::any_of(gaps_, [id](const Gap& gap) { return gap.first <= id && id <= gap.last; });
  }

 private:
  struct Gap {
    std::int32_t first = 0;
    std::int32_t last = -1;
  };
  std::array<Gap, 4> gaps_{};
  std::uint8_t next_ = 0;
};

}  // namespace h2park::http2
