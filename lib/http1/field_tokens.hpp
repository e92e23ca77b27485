// Field names and values taken apart: case, white space, lists of tokens (RFC 9110 5.1, 5.5, 5.6).
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace h2park::http1 {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Without the spaces and tabs around it.
inline std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Any control character but the tab, which values and reasons may have.
inline bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

/// Calls `visit` with each element of a comma-separated list but the empty ones.
template <class Visit>
void for_each_token(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (const std::string_view token = trim(list.substr(0, comma)); !token.empty()) visit(token);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

/// Calls `use` with the lower-case name; short ones, which all usual names are, never touch the heap.
template <class Use>
void with_lowered(std::string_view name, Use use) {
  std::array<char, 64> small;
  if (name.size() <= small.size()) {
    std::ranges::transform(name, small.begin(), lower);
    use(std::string_view(small.data(), name.size()));
    return;
  }
  std::string large(name.size(), '\0');
  std::ranges::transform(name, large.begin(), lower);
  use(std::string_view(large));
}

}  // namespace h2park::http1
