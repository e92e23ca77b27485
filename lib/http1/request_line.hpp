// The request line (RFC 9112 3), checked strictly: method SP request-target SP HTTP-version.
#pragma once

#include "http/request_head.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

namespace h2park::http1 {

/// 414 beyond it. RFC 9112 3 asks for 8,000 at least; twice that leaves room for what browsers and proxies
/// send.
inline constexpr std::size_t kMaxRequestLineBytes = 16 * 1024;

/// Where the parts of a request line stand; sizes instead of views, so that it outlives a moved buffer.
struct RequestLine {
  std::uint32_t method_bytes = 0;
  std::uint32_t target_bytes = 0;
  http::Version version = http::Version::kHttp11;

  std::string_view method(std::string_view head) const { return head.substr(0, method_bytes); }
  std::string_view target(std::string_view head) const { return head.substr(method_bytes + 1, target_bytes); }
};

/// `line` is without its CRLF. Errors: 400, or 505 for a major version that is not 1. A minor version above 1
/// counts as 1 (RFC 9110 2.5). The HTTP/2 preface is no request: 400.
std::expected<RequestLine, unsigned> parse_request_line(std::string_view line);

/// RFC 9110 5.6.2.
bool is_token(std::string_view text);

/// Not empty, no controls and no space; bytes above ASCII pass, as they do in HTTP/2's :path.
bool is_target(std::string_view text);

}  // namespace h2park::http1
