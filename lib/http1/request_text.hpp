// A request as text: request line, fields (RFC 9112 3, 5).
#pragma once

#include "base/error.hpp"
#include "http/request_head.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::http1 {

/// What a client sends before the body. Fields keep the caller's order and spelling.
struct RequestLineAndFields {
  std::string method = "GET";
  std::string target = "/";  ///< origin form; absolute form through a proxy; authority form for CONNECT; "*"
  http::Version version = http::Version::kHttp11;
  std::string host;  ///< the Host field's value; always sent first, also in HTTP/1.0
  std::vector<std::pair<std::string, std::string>> fields;
  std::optional<std::uint64_t> content_length;  ///< adds Content-Length
};

/// The head, ready to send. Errors (usage): a method or field name that is no token, a value or target with
/// control characters: nothing that a user passes may end up as a second request.
Result<std::string> request_text(const RequestLineAndFields& request);

}  // namespace h2park::http1
