// Request: what a caller asks for, once; and how much of the answer is wanted.
#pragma once

#include "client/url.hpp"
#include "http/request_head.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace h2park::client {

inline constexpr std::uint64_t kReadAll = std::numeric_limits<std::uint64_t>::max();

struct Request {
  Url url;
  std::string method = "GET";
  bool keep_method =
      false;  ///< redirects do not turn it into GET: it was asked for by name, as with curl's -X
  http::Version version = http::Version::kHttp11;
  /// In the caller's order and spelling, with User-Agent, Accept, Cookie and Authorization. A Host here
  /// replaces the URL's; Content-Length and Connection are the client's own unless they stand here.
  std::vector<std::pair<std::string, std::string>> fields;
  /// Null: no body. Shared by all repetitions of a request.
  std::shared_ptr<const std::string> body;
  /// Content bytes to read before the body is closed; what is left then is drained (client/drain.hpp).
  std::uint64_t read_limit = kReadAll;
};

}  // namespace h2park::client
