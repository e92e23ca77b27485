// What a peer's chunk lines may cost us: extensions are ignored (RFC 9112 7.1.1), but neither endless nor
// free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace h2park::http1 {

/// A chunk's size line, with extensions. Nobody uses extensions; 4 KiB is what others allow.
inline constexpr std::size_t kMaxChunkLineBytes = 4096;

/// Keeps account over one body.
class ChunkCost {
 public:
  /// False if the chunk's line is to be refused: its extensions are too long, hide a control character, or
  /// the lines so far outweigh the data they carried.
  bool accept(std::uint64_t size, std::string_view extensions);

 private:
  std::size_t overhead_ = 0;
};

}  // namespace h2park::http1
