// ChunkedBody: a chunked body in pieces (RFC 9112 7.1), with its trailers.
//
// Takes every byte at once, so that no byte is looked at twice however the input was cut, and nothing after
// the body's last CRLF. Lines end with CRLF here: section 2.2 is lenient about a head's lines only, and
// parsers that disagree about chunks are how responses are split.
#pragma once

#include "http1/chunk_decoder.hpp"
#include "http1/field_block.hpp"
#include "http1/response_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::http1 {

/// Reuses its memory from body to body.
class ChunkedBody {
 public:
  explicit ChunkedBody(const ResponseLimits& limits) : limits_(limits) {}

  void begin();
  /// Hands over at most `room` bytes of content; what is framing is taken whatever the room. Returns how much
  /// of `input` was taken: all of it, unless it waits for room, is_done() or fault(). Requires: begin().
  std::size_t take(std::string_view input, std::uint64_t room, ResponseSink& sink);

  bool is_done() const { return phase_ == Phase::kDone; }
  ResponseFault fault() const { return fault_; }

 private:
  enum class Phase : std::uint8_t { kLine, kData, kDataEnd, kTrailers, kDone, kFailed };

  std::size_t take_line(std::string_view input);
  std::size_t take_data(std::string_view input, std::uint64_t room, ResponseSink& sink);
  std::size_t take_data_end(std::string_view input);
  std::size_t take_trailers(std::string_view input, ResponseSink& sink);
  void end_line();
  void end_trailer_line(ResponseSink& sink);
  void hand_over_trailers(ResponseSink& sink);
  void fail(ResponseFault fault);

  const ResponseLimits limits_;
  Phase phase_ = Phase::kDone;
  ResponseFault fault_ = ResponseFault::kNone;
  std::optional<ChunkDecoder> decoder_;
  std::string line_;  // what there is of the present line, with the CRLF after the chunk before
  FieldBlock block_;
  http::Fields trailers_;
  std::size_t trailer_bytes_ = 0;
};

}  // namespace h2park::http1
