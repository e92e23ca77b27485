#include "http1/chunked_body.hpp"

#include <algorithm>
#include <cstring>

namespace h2park::http1 {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// The beginning of `input` up to its first LF, or all of it.
std::string_view up_to_lf(std::string_view input) {
  const auto* lf = static_cast<const char*>(std::memchr(input.data(), '\n', input.size()));
  return lf == nullptr ? input : input.substr(0, static_cast<std::size_t>(lf - input.data()) + 1);
}

}  // namespace

void ChunkedBody::begin() {
  phase_ = Phase::kLine;
  fault_ = ResponseFault::kNone;
  decoder_.emplace();
  line_.clear();
}

std::size_t ChunkedBody::take(std::string_view input, std::uint64_t room, ResponseSink& sink) {
  std::size_t taken = 0;
  while (taken < input.size()) {
    const std::string_view rest = input.substr(taken);
    switch (phase_) {
      case Phase::kLine:
        taken += take_line(rest);
        break;
      case Phase::kData: {
        if (room == 0) return taken;
        const std::size_t data = take_data(rest, room, sink);
        room -= data;
        taken += data;
        break;
      }
      case Phase::kDataEnd:
        taken += take_data_end(rest);
        break;
      case Phase::kTrailers:
        taken += take_trailers(rest, sink);
        break;
      case Phase::kDone:
      case Phase::kFailed:
        return taken;
    }
  }
  return taken;
}

std::size_t ChunkedBody::take_line(std::string_view input) {
  const std::string_view piece = up_to_lf(input);
  line_.append(piece);
  if (line_.size() > kMaxChunkLineBytes) {
    fail(ResponseFault::kChunk);
  } else if (piece.back() == '\n') {
    end_line();
  }
  return piece.size();
}

void ChunkedBody::end_line() {
  if (!line_.ends_with(kLineEnd)) return fail(ResponseFault::kChunk);
  line_.append(kLineEnd);
  if (!decoder_->take_line(line_)) return fail(ResponseFault::kChunk);
  line_.clear();
  if (!decoder_->is_done()) {
    phase_ = Phase::kData;
    return;
  }
  phase_ = Phase::kTrailers;
  block_.clear();
  trailer_bytes_ = 0;
}

std::size_t ChunkedBody::take_data(std::string_view input, std::uint64_t room, ResponseSink& sink) {
  const std::uint64_t most = std::min(room, decoder_->left());
  const std::string_view data =
      input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, input.size())));
  decoder_->take_data(data);
  if (decoder_->left() == 0) phase_ = Phase::kDataEnd;
  sink.on_body(data);
  return data.size();
}

// One byte at a time, so that missing line ends are noticed at once.
std::size_t ChunkedBody::take_data_end(std::string_view input) {
  if (input.front() != kLineEnd[line_.size()]) {
    fail(ResponseFault::kChunk);
    return 0;
  }
  line_.push_back(input.front());
  if (line_ == kLineEnd) phase_ = Phase::kLine;
  return 1;
}

std::size_t ChunkedBody::take_trailers(std::string_view input, ResponseSink& sink) {
  const std::string_view piece = up_to_lf(input);
  line_.append(piece);
  trailer_bytes_ += piece.size();
  if (trailer_bytes_ > limits_.trailer_bytes) {
    fail(ResponseFault::kHeadTooLarge);
  } else if (piece.back() == '\n') {
    end_trailer_line(sink);
  }
  return piece.size();
}

void ChunkedBody::end_trailer_line(ResponseSink& sink) {
  if (!line_.ends_with(kLineEnd)) return fail(ResponseFault::kChunk);
  if (line_ == kLineEnd) return hand_over_trailers(sink);
  const std::string_view line = std::string_view(line_).substr(0, line_.size() - kLineEnd.size());
  if (!block_.add_line(line)) return fail(ResponseFault::kField);
  if (block_.fields() > limits_.fields) return fail(ResponseFault::kHeadTooLarge);
  line_.clear();
}

void ChunkedBody::hand_over_trailers(ResponseSink& sink) {
  trailers_.clear();
  if (!block_.parse(trailers_)) return fail(ResponseFault::kField);
  phase_ = Phase::kDone;
  for (const http::Field field : trailers_) sink.on_trailer(field.name, field.value);
}

void ChunkedBody::fail(ResponseFault fault) {
  phase_ = Phase::kFailed;
  fault_ = fault;
}

}  // namespace h2park::http1
