// Finds the end of a request's head in bytes that come in pieces, and refuses early what can't become one.
//
// 1. A line ends with CRLF. A bare LF, which RFC 9112 2.2 lets a server accept, is refused: two parsers that
//    disagree about line ends are how requests are smuggled.
// 2. The first line is the request line; it is checked as soon as it is complete.
// 3. A line that begins with a space or tab is obs-fold, or whitespace before the first field: refused (5.2,
//    2.2).
// 4. Limits are checked line by line in this order, so that the verdict does not depend on how the bytes were
//    cut. The contents of the fields are the parser's business.
#pragma once

#include "http1/request_line.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace h2park::http1 {

class HeadScanner {
 public:
  enum class State : std::uint8_t { kIncomplete, kComplete, kRefused };

  struct Limits {
    std::size_t field_bytes;  ///< of all field lines, as sent
    std::size_t fields;
  };

  /// Looks at `input`, which begins with the head's first byte and holds what earlier calls saw.
  State scan(std::string_view input, const Limits& limits);

  const RequestLine& line() const { return line_; }
  /// Valid when kComplete: the request line with its CRLF; the whole head.
  std::size_t line_bytes() const { return line_bytes_; }
  std::size_t head_bytes() const { return line_start_; }
  std::size_t fields() const { return fields_; }
  /// Valid when kRefused: 400, 414, 431 or 505.
  unsigned status() const { return status_; }

 private:
  State refuse(unsigned status) {
    status_ = status;
    return State::kRefused;
  }
  /// 0, or the status with which a head that reaches to `end` is too large.
  unsigned too_large(std::size_t end, const Limits& limits) const;

  RequestLine line_;
  std::uint32_t line_start_ = 0;
  std::uint32_t line_bytes_ = 0;  // 0: the request line is not complete
  std::uint32_t fields_ = 0;
  unsigned status_ = 0;
};

}  // namespace h2park::http1
