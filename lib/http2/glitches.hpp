// Glitches: one budget per connection for what is legal or half legal, but only makes work (RFC 9113 10.5).
//
// A leaky bucket kept as one time: each point moves `empty_at_` 1/kPointsPerSecond into the future, and time
// drains it. The budget is spent once more than kBurst points are in the bucket. A finished exchange takes a
// point back, so that a busy proxy, which cancels for thousands of users on one connection, is measured by
// its ratio.
//
// The numbers: browsers cancel some hundred requests in a burst when a page is left (2 points each), gRPC
// sends a PING per read burst, old Firefox and Chrome a PRIORITY per request. All stay far below 1,000 points
// at 100 per second, while a flood sends a thousand frames in its first milliseconds.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <cstdint>

namespace h2park::http2 {

enum class Glitch : std::uint8_t {
  kPeerReset,     ///< RST_STREAM by the client
  kStreamError,   ///< we had to reset a stream, or answer 431, because of what the client sent
  kRefused,       ///< a stream over the limit
  kEmptyFrame,    ///< DATA without content and without END_STREAM; an empty piece of a field block
  kPing,          ///< PING, or a PING ACK nobody waits for
  kSettings,      ///< SETTINGS after the first
  kPriority,      ///< PRIORITY: we do not use them
  kTinyWindow,    ///< WINDOW_UPDATE by less than kTinyIncrement
  kUnknownFrame,  ///< ignored as RFC 9113 4.1 asks, but not without end
};

/// Thread: the connection's.
class Glitches {
 public:
  static constexpr int kBurst = 1000;
  static constexpr int kPointsPerSecond = 100;
  static constexpr std::uint32_t kTinyIncrement = 64;

  static constexpr int points(Glitch what) {
    switch (what) {
      case Glitch::kStreamError:
      case Glitch::kSettings:
        return 5;
      case Glitch::kPeerReset:
      case Glitch::kEmptyFrame:
        return 2;
      case Glitch::kRefused:
      case Glitch::kPing:
      case Glitch::kPriority:
      case Glitch::kTinyWindow:
      case Glitch::kUnknownFrame:
        return 1;
    }
    return 1;
  }

  void add(Glitch what, TimePoint now) { empty_at_ = std::max(empty_at_, now) + points(what) * kPerPoint; }
  /// An exchange was answered to its end.
  void forgive() { empty_at_ -= kPerPoint; }
  /// The client gets ENHANCE_YOUR_CALM.
  bool spent(TimePoint now) const { return empty_at_ - now > kBurst * kPerPoint; }

 private:
  static constexpr Duration kPerPoint = Duration(std::chrono::seconds(1)) / kPointsPerSecond;

  TimePoint empty_at_{};
};

}  // namespace h2park::http2
