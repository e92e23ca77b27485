// The status line (RFC 9112 4): HTTP-version SP status-code SP reason-phrase.
#pragma once

#include "http/request_head.hpp"

#include <optional>
#include <string_view>

namespace h2park::http1 {

struct StatusLine {
  http::Version version = http::Version::kHttp11;
  unsigned status = 0;
  std::string_view reason;  ///< into the line
};

/// `line` is without its end. Lenient in one point, as everybody is: a line may end after the status code. A
/// minor version above 1 counts as 1 (RFC 9110 2.5). Nothing if it is none, or the code is below 100.
std::optional<StatusLine> parse_status_line(std::string_view line);

/// False as soon as no HTTP/1 response begins like that, so that nobody waits for the end of a line that some
/// other protocol never sends.
bool may_become_status_line(std::string_view beginning);

}  // namespace h2park::http1
