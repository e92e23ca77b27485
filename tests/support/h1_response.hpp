// An HTTP/1 response as a strict client reads it. Written apart from the server's code, so that the two don't
// share a mistake.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::test {

struct H1Response {
  unsigned status = 0;
  std::string reason;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::pair<std::string, std::string>> trailers;
  std::string body;
  std::vector<std::size_t> chunks;  ///< sizes, without the last
  bool until_close = false;

  /// The value of `name`; nothing when it is absent or comes twice.
  std::optional<std::string> field(std::string_view name) const;
};

/// Takes one response off the front of `text`. Nothing if it is malformed or incomplete.
/// A response without a length takes all of `text`.
std::optional<H1Response> take_h1_response(std::string_view& text, std::string_view request_method);

}  // namespace h2park::test
