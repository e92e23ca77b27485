// Fields and body framing of one request: Beast's parser as a byte machine.
//
// The request line is ours (request_line.hpp: Beast knows neither HTTP/1.2 nor 505), so Beast is shown a
// constant one and then the field lines as they came. Beast checks names and values and undoes the chunked
// coding; what it lets through and must not is refused here (chunk extensions, bare LF) and in
// field_rules.hpp.
#pragma once

#include "http/fields.hpp"
#include "http/request_head.hpp"
#include "http1/chunk_cost.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

namespace h2park::http1 {

/// Gets what a body consists of.
class BodyReceiver {
 public:
  virtual void on_body_piece(std::string_view bytes) = 0;
  virtual void on_trailer(std::string_view name, std::string_view value) = 0;

 protected:
  ~BodyReceiver() = default;
};

struct FieldLimits {
  std::size_t fields;
  std::size_t charged_bytes;  ///< Fields::charged_bytes()
};

class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  RequestParser(const FieldLimits& limits, BodyReceiver& receiver);

  /// Adds the fields of `section`, which ends with the empty line, to `into`; names are lowered.
  /// Returns 0, or 400 or 431.
  unsigned parse_fields(http::Version version, std::string_view section, http::Fields& into);

  struct Step {
    std::size_t consumed = 0;
    unsigned status = 0;  ///< 0, or 400 or 431: the framing is broken and nothing after it can be trusted
  };
  /// Requires: parse_fields() succeeded, not is_done(). What is not consumed is to be shown again with more.
  Step parse_body(std::string_view input);

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, View, View, int, ErrorCode&) override {}
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(boost::beast::http::field, View name, View value, ErrorCode& error) override;
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(View body, ErrorCode& error) override;
  void on_chunk_header_impl(std::uint64_t size, View extensions, ErrorCode& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, View body, ErrorCode& error) override;
  void on_finish_impl(ErrorCode&) override {}

  unsigned judge_pending(std::string_view pending);

  FieldLimits limits_;
  BodyReceiver& receiver_;
  http::Fields* head_fields_ = nullptr;  // null once the head is done: fields are trailers then
  std::size_t trailers_ = 0;
  std::size_t trailer_bytes_ = 0;
  ChunkCost chunk_cost_;
  std::size_t judged_ = 0;  // of the pending bytes
};

}  // namespace h2park::http1
