// ChunkDecoder: Beast's parser undoing the chunked coding (RFC 9112 7.1), shown whole lines only.
//
// Beast takes a chunk's size line only once it has all of it, and the last chunk's only with all trailers; it
// asserts that it is then shown the same bytes again, and waits for a CRLF whatever comes instead. None of
// that matters to it here: lines are collected by the caller (chunked_body.hpp), and the last one is shown
// with an empty trailer section.
#pragma once

#include "http1/chunk_cost.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

namespace h2park::http1 {

/// For one body.
class ChunkDecoder final : public boost::beast::http::basic_parser<false> {
 public:
  ChunkDecoder();

  /// `line` ends the data of the chunk before, if there was one, and is a size line; it ends with CRLF CRLF,
  /// of which the second is not consumed. False if it is none, or costs too much. Requires: left() is 0, not
  /// is_done().
  bool take_line(std::string_view line);
  /// Takes data. Requires: at most left().
  void take_data(std::string_view data);

  /// Bytes to come of the present chunk. After a line: 0 means that it was the last chunk's, and is_done().
  std::uint64_t left() const { return left_; }

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, View, View, int, ErrorCode&) override {}
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(boost::beast::http::field, View, View, ErrorCode&) override {}
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(View body, ErrorCode&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t size, View extensions, ErrorCode& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t, View body, ErrorCode&) override;
  void on_finish_impl(ErrorCode&) override {}

  ChunkCost cost_;
  std::uint64_t left_ = 0;
};

}  // namespace h2park::http1
