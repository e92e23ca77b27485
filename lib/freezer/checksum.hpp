// A 32-bit checksum of an image's bytes, against accidents, not against forgers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace h2park::freezer {

/// 8 bytes at a time: each is mixed in by an odd multiplication, which loses no bit, and the high half is
/// folded back.
inline std::uint32_t checksum_of(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;
  std::uint64_t sum = bytes.size() * kOdd;
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t here = bytes.size() < sizeof word ? bytes.size() : sizeof word;
    std::memcpy(&word, bytes.data(), here);
    bytes = bytes.subspan(here);
    sum = (sum ^ word) * kOdd;
    sum ^= sum >> 32;
  }
  return static_cast<std::uint32_t>(sum ^ sum >> 32);
}

}  // namespace h2park::freezer
