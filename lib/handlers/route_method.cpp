#include "handlers/route_method.hpp"

#include <array>

namespace h2park::handlers {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, kMethods> kNames = {"GET",    "HEAD",    "POST",  "PUT",    "PATCH",
                                                           "DELETE", "OPTIONS", "TRACE", "CONNECT"};

}  // namespace

std::optional<Method> parse_method(std::string_view name) {
  for (std::size_t i = 0; i < kMethods; ++i) {
    if (kNames[i] == name) return static_cast<Method>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Method method) { return kNames[static_cast<std::size_t>(method)]; }

std::string MethodSet::allow() const {
  MethodSet all = *this | Method::kOptions;
  if (has(Method::kGet)) all = all | Method::kHead;
  std::string text;
  for (std::size_t i = 0; i < kMethods; ++i) {
    if (!all.has(static_cast<Method>(i))) continue;
    if (!text.empty()) text += ", ";
    text += kNames[i];
  }
  return text;
}

}  // namespace h2park::handlers
