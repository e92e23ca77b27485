// ResponseFields: a response's fields as the array that nghttp2 takes.
//
// Names and values that are not constants are copied by nghttp2 within the submit call, so this object lives
// on the stack. Fields that HTTP/2 forbids (RFC 9113 8.2.2), and those that a client would have to treat as
// malformed (8.2.1), are left out: a handler's mistake must not become a connection's.
#pragma once

#include "http/exchange.hpp"

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstdint>
#include <string_view>

#include <boost/container/small_vector.hpp>

namespace h2park::http2 {

/// Lifetime: what is added outlives the submit call. Thread: any.
class ResponseFields {
 public:
  /// A final head: status, the handler's fields, content-length, date, server. `keep_date`: in both sides'
  /// HPACK tables, because the same one will be sent again.
  static void fill(ResponseFields& block, const http::ResponseHead& head, std::string_view date,
                   bool keep_date);

  void add_status(unsigned status);
  void add_content_length(std::uint64_t bytes);
  /// Requires: both live until the frame is sent (constants).
  void add_constant(std::string_view name, std::string_view value);
  /// Requires: `name` is a constant.
  void add_value(std::string_view name, std::string_view value, std::uint8_t more_flags = 0);
  /// The fields of a 1xx answer or trailers.
  void add_all(const http::Fields& fields);

  const nghttp2_nv* data() const { return fields_.data(); }
  std::size_t size() const { return fields_.size(); }

 private:
  void add(std::string_view name, std::string_view value, std::uint8_t flags);

  boost::container::small_vector<nghttp2_nv, 16> fields_;
  std::array<char, 3> status_;
  std::array<char, 20> length_;
};

}  // namespace h2park::http2
