// The links of the lists in which small freed blocks wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace h2park::freezer {

/// A listed block's first bytes name the next one.
inline std::uint16_t next_of(const std::byte* block) {
  std::uint16_t next;
  std::memcpy(&next, block, sizeof next);
  return next;
}
inline void set_next(std::byte* block, std::uint16_t next) { std::memcpy(block, &next, sizeof next); }

}  // namespace h2park::freezer
