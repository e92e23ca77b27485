#include "http1/chunk_cost.hpp"

#include "http1/field_tokens.hpp"

#include <algorithm>

namespace h2park::http1 {
namespace {

// The part of a chunk's line that the size may take.
constexpr std::size_t kChunkSizeRoom = 32;
// How far chunk lines may outweigh the data they carry before it is abuse (one-byte chunks with long
// extensions cost us a hundred times what they cost the peer).
constexpr std::size_t kMaxChunkOverhead = 16 * 1024;
// What a chunk may cost without being counted: 16 bytes, and twice its data.
constexpr std::size_t kFreeChunkBytes = 16;
// A digit and CRLF; long runs of zeros are bounded by the line's length.
constexpr std::size_t kLineBytes = 3;

}  // namespace

bool ChunkCost::accept(std::uint64_t size, std::string_view extensions) {
  // Quoted strings pass Beast with anything in them; a bare LF there ends the line for a laxer parser.
  if (has_control(extensions) || extensions.size() > kMaxChunkLineBytes - kChunkSizeRoom) return false;
  overhead_ += extensions.size() + kLineBytes;
  const std::uint64_t paid = kFreeChunkBytes + 2 * std::min<std::uint64_t>(size, kMaxChunkOverhead);
  overhead_ -= static_cast<std::size_t>(std::min<std::uint64_t>(overhead_, paid));
  return overhead_ <= kMaxChunkOverhead;
}

}  // namespace h2park::http1
