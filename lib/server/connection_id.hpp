// ConnectionId: how everything outside a connection refers to it.
#pragma once

#include <cstdint>

namespace h2park::server {

/// A place in a worker's ticket table, and which of its successive owners is meant. An id of a connection
/// that is gone stays harmless: its generation has passed.
struct ConnectionId {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  std::uint64_t packed() const { return std::uint64_t{generation} << 32 | index; }
  static ConnectionId unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  bool operator==(const ConnectionId&) const = default;
};

}  // namespace h2park::server
