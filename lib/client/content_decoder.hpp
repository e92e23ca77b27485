// ContentDecoder: undoes Content-Encoding while a body comes (RFC 9110 8.4.1): gzip, deflate, br, zstd.
//
// 1. The codings were applied in the order of the field, so they are undone from the last to the first.
// 2. Each stage has one buffer of kPiece bytes and hands it to the next whenever it is full. So whatever a
//    body grows to, no more of it is in memory than a stage's window: 32 KiB, for br 16 MiB, for zstd 8 MiB
//    (RFC 9659; a frame that needs more is an error).
// 3. "deflate" means zlib's format, or the bare data that some servers send (RFC 9110 8.4.1.2).
// 4. Further members (gzip) and frames (zstd) belong to the data. What comes behind it otherwise is ignored,
//    as browsers do.
#pragma once

#include "base/error.hpp"
#include "client/decoder_stage.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::client {

/// For Accept-Encoding, as curl sends it: what ContentDecoder undoes.
inline constexpr std::string_view kAcceptEncoding = "deflate, gzip, br, zstd";

/// Thread: one at a time.
class ContentDecoder {
 public:
  using Sink = DecoderStage::Sink;
  static constexpr std::size_t kPiece = DecoderStage::kPiece;
  /// A body that was encoded more often than this is an attack; curl's bound.
  static constexpr std::size_t kMaxCodings = 5;

  /// `content_encoding`: the field's value, several joined with ", "; "" and "identity" decode nothing. Names
  /// have no case; "x-gzip" is gzip. Errors: an unknown coding, or too many; one line.
  static Result<ContentDecoder> make(std::string_view content_encoding);

  /// Decodes the next bytes of the body; calls `sink` with pieces of at most kPiece bytes. (Without a coding
  /// with `bytes` themselves.) Errors: broken data, naming the coding; every later call says the same.
  Result<> write(std::string_view bytes, const Sink& sink);

  /// The body has ended. Errors: its data has not. An empty body is none of any coding.
  Result<> finish();

  bool is_identity() const { return stages_.empty(); }

 private:
  ContentDecoder() = default;
  Result<> write_to(std::size_t stage, std::string_view bytes, const Sink& sink);

  std::vector<std::unique_ptr<DecoderStage>> stages_;  // in the order of decoding
  std::optional<Error> error_;
};

}  // namespace h2park::client
