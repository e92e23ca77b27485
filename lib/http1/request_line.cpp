#include "http1/request_line.hpp"

#include <algorithm>
#include <array>

namespace h2park::http1 {
namespace {

constexpr unsigned kBadRequest = 400;
constexpr unsigned kVersionNotSupported = 505;

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 128; ++c) {
    table[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTokenChars = make_token_table();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return kTokenChars[c]; });
}

bool is_target(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c != 0x7f; });
}

std::expected<RequestLine, unsigned> parse_request_line(std::string_view line) {
  const std::size_t method_end = line.find(' ');
  if (method_end == std::string_view::npos) return std::unexpected(kBadRequest);
  const std::size_t target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos) return std::unexpected(kBadRequest);
  const std::string_view method = line.substr(0, method_end);
  const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  const std::string_view version = line.substr(target_end + 1);
  if (!is_token(method) || !is_target(target)) return std::unexpected(kBadRequest);
  if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) || version[6] != '.' ||
      !is_digit(version[7])) {
    return std::unexpected(kBadRequest);
  }
  if (version[5] != '1') return std::unexpected(method == "PRI" ? kBadRequest : kVersionNotSupported);
  return RequestLine{static_cast<std::uint32_t>(method.size()), static_cast<std::uint32_t>(target.size()),
                     version[7] == '0' ? http::Version::kHttp10 : http::Version::kHttp11};
}

}  // namespace h2park::http1
