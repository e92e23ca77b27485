#include "handlers/route_accept.hpp"

#include <algorithm>

namespace h2park::handlers {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes what stands before `separator` off `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const std::string_view item = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return item;
}

// 0 does not match, then "*/*", "text/*", "text/html".
int specificity(std::string_view range, std::string_view type) {
  if (same(range, type)) return 3;
  if (range.ends_with("/*") && same(range.substr(0, range.size() - 1), type.substr(0, type.find('/') + 1)))
    return 2;
  return range == "*/*" ? 1 : 0;
}

// RFC 9110 12.4.2: "0", "1", "0.5", up to three digits; -1 for anything else.
int weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return -1;
  if (text.size() > 1 && text[1] != '.') return -1;
  int thousandths = (text[0] - '0') * 1000;
  int place = 100;
  for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (c < '0' || c > '9') return -1;
    thousandths += (c - '0') * place;
    place /= 10;
  }
  return thousandths > 1000 ? -1 : thousandths;
}

int quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = take(parameters, ';');
    if (parameter.size() > 2 && lower(parameter[0]) == 'q' && parameter[1] == '=')
      return weight(parameter.substr(2));
  }
  return 1000;
}

}  // namespace

int accept_quality(const http::Fields& fields, std::string_view type) {
  bool any = false;
  int best = 0;
  int quality = 0;
  for (const http::Field field : fields) {
    if (field.name != "accept") continue;
    any = true;
    for (std::string_view rest = field.value; !rest.empty();) {
      std::string_view parameters = take(rest, ',');
      const int matched = specificity(take(parameters, ';'), type);
      const int wanted = quality_of(parameters);
      if (matched <= best || wanted < 0) continue;
      best = matched;
      quality = wanted;
    }
  }
  return any ? quality : 1000;
}

}  // namespace h2park::handlers
