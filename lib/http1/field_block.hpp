// FieldBlock: the field lines of a response's head or trailers, collected line by line and then parsed by
// Beast.
//
// 1. A line that begins with a space or tab continues the one before it: obs-fold becomes one space (RFC 9112
//    5.2). Beast would do that too, but no more than 4 KiB of it.
// 2. Every line is shown to Beast with a mark before its name, so that Beast checks names and values but acts
//    on none of them: what Content-Length, Transfer-Encoding and Connection mean for a response is judged in
//    response_framing.hpp, by rules that Beast has not (it refuses Transfer-Encoding beside Content-Length).
#pragma once

#include "http/fields.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace h2park::http1 {

/// Reuses its memory from block to block.
class FieldBlock {
 public:
  FieldBlock() { clear(); }

  void clear();
  /// `line` is without its end and not empty. False if it continues a line that is not there (2.2).
  bool add_line(std::string_view line);
  std::size_t fields() const { return fields_; }
  /// Adds all fields to `into`, names lowered. False if a line is no field (5.1, 5.5). Only once per block.
  bool parse(http::Fields& into);

 private:
  std::string text_;  // a whole response for Beast, but for the last line
  std::size_t fields_ = 0;
};

}  // namespace h2park::http1
