#include "support/h1_response.hpp"

#include <algorithm>
#include <charconv>

namespace h2park::test {
namespace {

std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return std::nullopt;
  text.remove_prefix(end + 2);
  return line;
}

using FieldList = std::vector<std::pair<std::string, std::string>>;

bool take_fields(std::string_view& text, FieldList& into) {
  for (;;) {
    const auto line = take_line(text);
    if (!line) return false;
    if (line->empty()) return true;
    const std::size_t colon = line->find(": ");
    if (colon == std::string_view::npos || colon == 0) return false;
    into.emplace_back(line->substr(0, colon), line->substr(colon + 2));
  }
}

template <class Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool take_exactly(std::string_view& text, std::size_t bytes, std::string& into) {
  if (text.size() < bytes) return false;
  into.append(text.substr(0, bytes));
  text.remove_prefix(bytes);
  return true;
}

bool take_chunked(std::string_view& text, H1Response& response) {
  for (;;) {
    const auto line = take_line(text);
    if (!line) return false;
    const auto size = number<std::size_t>(*line, 16);
    if (!size) return false;
    if (*size == 0) return take_fields(text, response.trailers);
    response.chunks.push_back(*size);
    if (!take_exactly(text, *size, response.body)) return false;
    if (!text.starts_with("\r\n")) return false;
    text.remove_prefix(2);
  }
}

bool take_body(std::string_view& text, std::string_view method, H1Response& response) {
  if (method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304)
    return true;
  const auto coding = response.field("transfer-encoding");
  const auto length = response.field("content-length");
  if (coding && length) return false;
  if (coding) return *coding == "chunked" && take_chunked(text, response);
  if (length) {
    const auto bytes = number<std::size_t>(*length, 10);
    return bytes && take_exactly(text, *bytes, response.body);
  }
  response.until_close = true;
  return take_exactly(text, text.size(), response.body);
}

}  // namespace

std::optional<std::string> H1Response::field(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [key, value] : fields) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

std::optional<H1Response> take_h1_response(std::string_view& text, std::string_view request_method) {
  std::string_view rest = text;
  H1Response response;
  const auto line = take_line(rest);
  if (!line || !line->starts_with("HTTP/1.1 ") || line->size() < 13 || (*line)[12] != ' ')
    return std::nullopt;
  const auto status = number<unsigned>(line->substr(9, 3), 10);
  if (!status) return std::nullopt;
  response.status = *status;
  response.reason = line->substr(13);
  if (!take_fields(rest, response.fields) || !take_body(rest, request_method, response)) return std::nullopt;
  text = rest;
  return response;
}

}  // namespace h2park::test
