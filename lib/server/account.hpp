// Account: what a frozen connection is counted as, kept outside of its image.
#pragma once

#include <cstdint>

namespace h2park::server {

/// A damaged image can't be asked. Exact but for connections with more streams than fit, and for streams
/// whose handler has ended while the client takes no data.
struct Account {
  static constexpr std::uint32_t kMostStreams = 31;

  std::uint8_t http1 : 1 = 0;
  std::uint8_t http2 : 1 = 0;
  std::uint8_t secure : 1 = 0;
  std::uint8_t streams : 5 = 0;  ///< open ones
};
static_assert(sizeof(Account) == 1, "one per connection");

}  // namespace h2park::server
