#include "http/fields.hpp"

#include <algorithm>

namespace h2park::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

bool is_connection_field(std::string_view name) {
  switch (name.size()) {
    case 2:
      return name == "te";
    case 7:
      return name == "upgrade";
    case 10:
      return name == "connection" || name == "keep-alive";
    case 16:
      return name == "proxy-connection";
    case 17:
      return name == "transfer-encoding";
    default:
      return false;
  }
}

void Fields::add(std::string_view name, std::string_view value) {
  const auto offset = static_cast<std::uint32_t>(text_.size());
  text_.append(name).append(value);
  entries_.push_back(
      {offset, static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(value.size())});
}

void Fields::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Fields::remove(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) {
    if (std::string_view(text_.data() + e.offset, e.name_bytes) != name) return false;
    dropped_ += e.name_bytes + e.value_bytes;
    return true;
  });
}

void Fields::clear() {
  text_.clear();
  entries_.clear();
  dropped_ = 0;
}

void Fields::reserve(std::size_t fields, std::size_t text_bytes) {
  entries_.reserve(fields);
  text_.reserve(text_bytes);
}

std::optional<std::string_view> Fields::find(std::string_view name) const {
  for (const Field field : *this) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

std::size_t Fields::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(begin(), end(), [&](Field f) { return f.name == name; }));
}

bool Fields::has_token(std::string_view name, std::string_view token) const {
  for (const Field field : *this) {
    if (field.name != name) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      if (equal_ignoring_case(trim(rest.substr(0, comma)), token)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

}  // namespace h2park::http
