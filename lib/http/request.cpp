#include "http/request.hpp"

#include "http/percent.hpp"

#include <algorithm>

namespace h2park::http {
namespace {

// A name or value of a query: '+' is a space (the form encoding of the URL standard). What is no valid
// triplet stays as it is: a query is data, and whoever asked for the value judges it.
std::string decode_form(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return percent_decode(spaced).value_or(spaced);
}

}  // namespace

std::optional<std::string> Request::query(std::string_view name) const {
  for (std::string_view rest = head().query(); !rest.empty();) {
    const std::string_view pair = rest.substr(0, std::min(rest.find('&'), rest.size()));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (decode_form(pair.substr(0, equals)) != name) continue;
    return decode_form(pair.substr(std::min(equals + 1, pair.size())));
  }
  return std::nullopt;
}

std::string_view Request::parameter(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return {};
}

}  // namespace h2park::http
