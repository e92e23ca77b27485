#include "http1/request_parser.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace h2park::http1 {
namespace {

namespace beast_http = boost::beast::http;

// A chunk's size line, with extensions. Nobody uses extensions; 4 KiB is what others allow.
constexpr std::size_t kMaxChunkLineBytes = 4096;
// The shortest that can follow where a chunk line is due: "0", CRLF, CRLF.
constexpr std::size_t kMinChunkTail = 5;
// The part of it that the size may take.
constexpr std::size_t kChunkSizeRoom = 32;
// How far chunk lines may outweigh the data they carry before it is abuse (one-byte chunks with long
// extensions cost us a hundred times what they cost the client).
constexpr std::size_t kMaxChunkOverhead = 16 * 1024;
// What a chunk may cost without being counted: 16 bytes, and twice its data.
constexpr std::size_t kFreeChunkBytes = 16;

bool has_control(boost::beast::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Calls `use` with the lower-case name; short ones, which all usual names are, never touch the heap.
template <class Use>
void with_lowered(boost::beast::string_view name, Use use) {
  std::array<char, 64> small;
  if (name.size() <= small.size()) {
    std::transform(name.begin(), name.end(), small.begin(), lower);
    use(std::string_view(small.data(), name.size()));
    return;
  }
  std::string large(name.size(), '\0');
  std::transform(name.begin(), name.end(), large.begin(), lower);
  use(std::string_view(large));
}

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
  if (head_fields_ != nullptr) {
    with_lowered(name, [&](std::string_view lowered) { head_fields_->add(lowered, text); });
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
  with_lowered(name, [&](std::string_view lowered) { receiver_.on_trailer(lowered, text); });
}

std::size_t RequestParser::on_body_impl(View body, ErrorCode&) {
  receiver_.on_body_piece({body.data(), body.size()});
  return body.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t size, View extensions, ErrorCode& error) {
  // Quoted strings pass Beast with anything in them; a bare LF there ends the line for a laxer parser.
  if (has_control(extensions) || extensions.size() > kMaxChunkLineBytes - kChunkSizeRoom) {
    error = beast_http::error::bad_chunk_extension;
    return;
  }
  constexpr std::size_t kLineBytes =
      3;  // a digit and CRLF; long runs of zeros are bounded by the line's length
  chunk_overhead_ += extensions.size() + kLineBytes;
  const std::uint64_t paid = kFreeChunkBytes + 2 * std::min<std::uint64_t>(size, kMaxChunkOverhead);
  chunk_overhead_ -= static_cast<std::size_t>(std::min<std::uint64_t>(chunk_overhead_, paid));
  if (chunk_overhead_ > kMaxChunkOverhead) error = beast_http::error::bad_chunk_extension;
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, View body, ErrorCode&) {
  receiver_.on_body_piece({body.data(), body.size()});
  return body.size();
}

}  // namespace h2park::http1
