#include "http1/request_parser.hpp"

#include "http1/field_tokens.hpp"

#include <limits>

namespace h2park::http1 {
namespace {

namespace beast_http = boost::beast::http;

// The shortest that can follow where a chunk line is due: "0", CRLF, CRLF.
constexpr std::size_t kMinChunkTail = 5;

}  // namespace

RequestParser::RequestParser(const FieldLimits& limits, BodyReceiver& receiver)
    : limits_(limits), receiver_(receiver) {
  // Both are limited elsewhere: heads by the scanner, bodies by the handler that reads them.
  body_limit(boost::none);
  header_limit(std::numeric_limits<std::uint32_t>::max());
  eager(true);
}

unsigned RequestParser::parse_fields(http::Version version, std::string_view section, http::Fields& into) {
  const std::string_view line =
      version == http::Version::kHttp10 ? "GET / HTTP/1.0\r\n" : "GET / HTTP/1.1\r\n";
  ErrorCode error;
  head_fields_ = &into;
  put(boost::asio::const_buffer(line.data(), line.size()), error);
  put(boost::asio::const_buffer(section.data(), section.size()), error);
  head_fields_ = nullptr;
  if (error == beast_http::error::header_limit) return 431;
  return error ? 400 : 0;
}

RequestParser::Step RequestParser::parse_body(std::string_view input) {
  ErrorCode error;
  Step step;
  // Beast asserts that it is shown five bytes again once it has seen the last chunk's size. No chunk line can
  // be acted on before five bytes are there ("0 CRLF CRLF"), so waiting for them costs nothing.
  if (judged_ > 0 && input.size() < kMinChunkTail) {
    step.status = judge_pending(input);
    return step;
  }
  step.consumed = put(boost::asio::const_buffer(input.data(), input.size()), error);
  if (step.consumed > 0) judged_ = 0;
  if (error == beast_http::error::header_limit) {
    step.status = 431;
  } else if (error && error != beast_http::error::need_more) {
    step.status = 400;
  } else if (!is_done() && step.consumed < input.size()) {
    step.status = judge_pending(input.substr(step.consumed));
  }
  return step;
}

// Beast waits for a CRLF, however long it takes to come and whatever comes instead. `pending` is the CRLF
// after a chunk's data (except before the first), a size line, and for the last chunk the trailer section.
unsigned RequestParser::judge_pending(std::string_view pending) {
  for (std::size_t lf = pending.find('\n', judged_); lf != std::string_view::npos;
       lf = pending.find('\n', lf + 1)) {
    if (lf == 0 || pending[lf - 1] != '\r') return 400;
  }
  judged_ = pending.size();
  const bool has_line = pending.find('\n', 2) != std::string_view::npos;
  if (!has_line) return pending.size() > kMaxChunkLineBytes ? 400 : 0;
  return pending.size() > limits_.charged_bytes + kMaxChunkLineBytes ? 431 : 0;
}

void RequestParser::on_field_impl(beast_http::field, View name, View value, ErrorCode& error) {
  const std::string_view text(value.data(), value.size());
  const std::string_view spelling(name.data(), name.size());
  if (head_fields_ != nullptr) {
    with_lowered(spelling, [&](std::string_view lowered) { head_fields_->add(lowered, text); });
    if (head_fields_->size() > limits_.fields || head_fields_->charged_bytes() > limits_.charged_bytes) {
      error = beast_http::error::header_limit;
    }
    return;
  }
  trailer_bytes_ += name.size() + value.size() + 32;
  if (++trailers_ > limits_.fields || trailer_bytes_ > limits_.charged_bytes) {
    error = beast_http::error::header_limit;
    return;
  }
  with_lowered(spelling, [&](std::string_view lowered) { receiver_.on_trailer(lowered, text); });
}

std::size_t RequestParser::on_body_impl(View body, ErrorCode&) {
  receiver_.on_body_piece({body.data(), body.size()});
  return body.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t size, View extensions, ErrorCode& error) {
  if (!chunk_cost_.accept(size, {extensions.data(), extensions.size()})) {
    error = beast_http::error::bad_chunk_extension;
  }
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, View body, ErrorCode&) {
  receiver_.on_body_piece({body.data(), body.size()});
  return body.size();
}

}  // namespace h2park::http1
