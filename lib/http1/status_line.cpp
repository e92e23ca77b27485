#include "http1/status_line.hpp"

#include "http1/field_tokens.hpp"

#include <algorithm>

namespace h2park::http1 {
namespace {

constexpr std::string_view kStart = "HTTP/1.";
constexpr std::size_t kMinorAt = 7;
constexpr std::size_t kCodeAt = 9;
constexpr std::size_t kCodeEnd = 12;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool may_become_status_line(std::string_view beginning) {
  return kStart.starts_with(beginning.substr(0, kStart.size()));
}

std::optional<StatusLine> parse_status_line(std::string_view line) {
  if (line.size() < kCodeEnd || !line.starts_with(kStart)) return std::nullopt;
  if (!is_digit(line[kMinorAt]) || line[kMinorAt + 1] != ' ') return std::nullopt;
  StatusLine parsed;
  for (const char c : line.substr(kCodeAt, kCodeEnd - kCodeAt)) {
    if (!is_digit(c)) return std::nullopt;
    parsed.status = parsed.status * 10 + static_cast<unsigned>(c - '0');
  }
  if (parsed.status < 100) return std::nullopt;
  if (line.size() > kCodeEnd) {
    if (line[kCodeEnd] != ' ') return std::nullopt;
    parsed.reason = line.substr(kCodeEnd + 1);
    if (has_control(parsed.reason)) return std::nullopt;
  }
  parsed.version = line[kMinorAt] == '0' ? http::Version::kHttp10 : http::Version::kHttp11;
  return parsed;
}

}  // namespace h2park::http1
