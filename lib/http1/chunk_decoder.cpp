#include "http1/chunk_decoder.hpp"

namespace h2park::http1 {
namespace {

boost::asio::const_buffer buffer(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

ChunkDecoder::ChunkDecoder() {
  body_limit(boost::none);
  ErrorCode error;
  put(buffer("HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n"), error);
}

bool ChunkDecoder::take_line(std::string_view line) {
  ErrorCode error;
  put(buffer(line), error);
  return !error;
}

void ChunkDecoder::take_data(std::string_view data) {
  ErrorCode error;
  put(buffer(data), error);
}

void ChunkDecoder::on_chunk_header_impl(std::uint64_t size, View extensions, ErrorCode& error) {
  left_ = size;
  if (!cost_.accept(size, {extensions.data(), extensions.size()})) {
    error = boost::beast::http::error::bad_chunk_extension;
  }
}

std::size_t ChunkDecoder::on_chunk_body_impl(std::uint64_t, View body, ErrorCode&) {
  left_ -= body.size();
  return body.size();
}

}  // namespace h2park::http1
