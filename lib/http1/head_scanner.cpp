#include "http1/head_scanner.hpp"

#include <cstring>

namespace h2park::http1 {

unsigned HeadScanner::too_large(std::size_t end, const Limits& limits) const {
  if (line_bytes_ == 0) return end > kMaxRequestLineBytes ? 414 : 0;
  return end - line_bytes_ > limits.field_bytes + 2 ? 431 : 0;
}

HeadScanner::State HeadScanner::scan(std::string_view input, const Limits& limits) {
  for (;;) {
    const auto* lf =
        static_cast<const char*>(std::memchr(input.data() + line_start_, '\n', input.size() - line_start_));
    const std::size_t end = lf == nullptr ? input.size() : static_cast<std::size_t>(lf - input.data()) + 1;
    if (const unsigned status = too_large(end, limits)) return refuse(status);
    if (lf == nullptr) return State::kIncomplete;
    const std::string_view line = input.substr(line_start_, end - line_start_);
    if (!line.ends_with("\r\n")) return refuse(400);
    if (line_bytes_ == 0) {
      const auto parsed = parse_request_line(line.substr(0, line.size() - 2));
      if (!parsed) return refuse(parsed.error());
      line_ = *parsed;
      line_bytes_ = static_cast<std::uint32_t>(end);
    } else if (line.front() == ' ' || line.front() == '\t') {
      return refuse(400);
    } else if (line.size() > 2 && ++fields_ > limits.fields) {
      return refuse(431);
    }
    line_start_ = static_cast<std::uint32_t>(end);
    if (line.size() == 2) return State::kComplete;
  }
}

}  // namespace h2park::http1
