#include "client/url_text.hpp"

#include "http/percent.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace h2park::client {
namespace {

constexpr std::size_t kShown = 100;  // of a URL in a message: a line and a bit

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void append_triplet(std::string& to, char c) {
  fmt::format_to(std::back_inserter(to), "%{:02X}", static_cast<unsigned char>(c));
}

// RFC 3986: pchar, "/" and "?"; '%' is looked at apart.
bool belongs_in_target(char c) {
  return is_alpha(c) || is_digit(c) ||
         std::string_view("-._~!$&'()*+,;=:@/?").find(c) != std::string_view::npos;
}

}  // namespace

std::string scheme_of(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(text[0])) return {};
  std::string scheme(text.substr(0, colon));
  for (char& c : scheme) {
    if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return {};
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return scheme;
}

Result<> check_characters(std::string_view text) {
  const auto bad =
      std::ranges::find_if(text, [](char c) { return c == ' ' || is_control(c) || !is_ascii(c); });
  if (bad == text.end()) return {};
  if (*bad == ' ') return usage_error("malformed URL " + quoted_url(text) + ": a space is written %20");
  if (is_control(*bad)) return usage_error("malformed URL " + quoted_url(text) + ": a control character");
  return usage_error("malformed URL " + quoted_url(text) +
                     ": characters outside of ASCII are percent-encoded, in a host name Punycode");
}

std::string encode_location(std::string_view text) {
  std::string encoded;
  bool in_query = false;
  for (const char c : text) {
    in_query = in_query || c == '?';
    if (c == ' ') {
      encoded += in_query ? "+" : "%20";
    } else if (!is_ascii(c)) {
      append_triplet(encoded, c);
    } else {
      encoded += c;
    }
  }
  return encoded;
}

std::string encode_target(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool fits =
        text[i] == '%' ? http::percent_encoding_is_valid(text.substr(i, 3)) : belongs_in_target(text[i]);
    if (fits) {
      encoded += text[i];
    } else {
      append_triplet(encoded, text[i]);
    }
  }
  return encoded;
}

std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  for (std::size_t begin = 1; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    const bool last = end == path.size();
    const bool dots = segment == "." || segment == "..";
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!dots) kept.push_back(segment);
    if (dots && last) kept.emplace_back();
    begin = end + 1;
  }
  std::string result;
  for (const std::string_view segment : kept) result.append("/").append(segment);
  return result;
}

std::string quoted_url(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) shown += is_control(c) || !is_ascii(c) ? '?' : c;
  return shown + (text.size() > kShown ? "...'" : "'");
}

}  // namespace h2park::client
