// What the handlers can be told. Defaults are the flags' defaults.
#pragma once

#include <cstdint>
#include <string>

namespace h2park::handlers {

enum class AccessLogFormat : std::uint8_t { kOff, kText, kJson };

struct Options {
  std::string root;                                 ///< --root; "" serves the built-in routes only
  std::uint64_t max_body_bytes = 64 * 1024 * 1024;  ///< --max-body-bytes, for /upload and /echo; over it: 413
};

struct AccessLogOptions {
  AccessLogFormat format = AccessLogFormat::kText;
  std::string file;  ///< "" is standard output
};

}  // namespace h2park::handlers
