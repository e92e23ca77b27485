// ResponseHead: status line and fields of a response, as a client receives it.
#pragma once

#include "http/fields.hpp"
#include "http/request_head.hpp"

#include <string>

namespace h2park::http1 {

struct ResponseHead {
  http::Version version = http::Version::kHttp11;
  unsigned status = 0;
  std::string reason;   ///< for people only (RFC 9112 4)
  http::Fields fields;  ///< names lowered; obs-fold replaced by spaces (RFC 9112 5.2)
  std::string text;     ///< the head as it came, status line to empty line, for -i and -v
};

}  // namespace h2park::http1
