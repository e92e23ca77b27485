#include "http1/field_block.hpp"

#include "http1/field_tokens.hpp"

#include <cstdint>
#include <limits>

#include <boost/beast/http/basic_parser.hpp>

namespace h2park::http1 {
namespace {

namespace beast_http = boost::beast::http;

constexpr std::string_view kStatusLine = "HTTP/1.1 200 \r\n";
constexpr std::string_view kLineEnd = "\r\n";
constexpr char kMark = '!';  // may stand in a name, so Beast lets it pass

class FieldParser final : public beast_http::basic_parser<false> {
 public:
  explicit FieldParser(http::Fields& into) : into_(into) {
    header_limit(std::numeric_limits<std::uint32_t>::max());  // whoever adds lines limits them
    skip(true);
  }

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;

  void on_request_impl(beast_http::verb, View, View, int, ErrorCode&) override {}
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(beast_http::field, View marked_name, View value, ErrorCode& error) override {
    const std::string_view name(marked_name.data() + 1, marked_name.size() - 1);
    if (name.empty()) {
      error = beast_http::error::bad_field;
      return;
    }
    const std::string_view text(value.data(), value.size());
    with_lowered(name, [&](std::string_view lowered) { into_.add(lowered, text); });
  }
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(View body, ErrorCode&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, View, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View body, ErrorCode&) override { return body.size(); }
  void on_finish_impl(ErrorCode&) override {}

  http::Fields& into_;
};

}  // namespace

void FieldBlock::clear() {
  text_.assign(kStatusLine);
  fields_ = 0;
}

bool FieldBlock::add_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    if (fields_ == 0) return false;
    text_.resize(text_.size() - kLineEnd.size());
    text_.resize(text_.find_last_not_of(" \t") + 1);
    if (const std::string_view more = trim(line); !more.empty()) text_.append(1, ' ').append(more);
  } else {
    ++fields_;
    text_.append(1, kMark).append(line);
  }
  text_.append(kLineEnd);
  return true;
}

bool FieldBlock::parse(http::Fields& into) {
  if (fields_ == 0) return true;
  text_.append(kLineEnd);
  FieldParser parser(into);
  boost::beast::error_code error;
  parser.put(boost::asio::const_buffer(text_.data(), text_.size()), error);
  return !error && parser.is_done();
}

}  // namespace h2park::http1
