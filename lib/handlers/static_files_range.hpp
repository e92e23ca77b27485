// The `range` field (RFC 9110 14.2): one range of bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace h2park::handlers {

struct ByteRange {
  enum class Kind : std::uint8_t {
    kWhole,          ///< no range, one that is not understood, or several: send everything
    kPart,           ///< 206
    kUnsatisfiable,  ///< 416
  };
  Kind kind = Kind::kWhole;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// "bytes=0-99", "bytes=100-" or "bytes=-100" of a file of `size` bytes.
ByteRange parse_range(std::string_view text, std::uint64_t size);

}  // namespace h2park::handlers
