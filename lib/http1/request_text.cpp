#include "http1/request_text.hpp"

#include "http1/field_tokens.hpp"
#include "http1/request_line.hpp"

#include <utility>

namespace h2park::http1 {
namespace {

// Only names that are tokens are printed: what is refused may hold anything.
Result<> check(const RequestLineAndFields& request) {
  if (!is_token(request.method)) return usage_error("the request method is not a token");
  if (!is_target(request.target)) {
    return usage_error("the request target is empty or has a space or control character");
  }
  if (has_control(request.host)) return usage_error("header 'Host' has a control character");
  for (const auto& [name, value] : request.fields) {
    if (!is_token(name)) return usage_error("a header name is not a token");
    if (has_control(value)) return usage_error("header '" + name + "' has a control character");
  }
  return {};
}

void append_line(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(value.empty() ? ":" : ": ").append(value).append("\r\n");
}

}  // namespace

Result<std::string> request_text(const RequestLineAndFields& request) {
  if (auto valid = check(request); !valid) return std::unexpected(std::move(valid.error()));
  std::size_t bytes = request.method.size() + request.target.size() + request.host.size() + 64;
  for (const auto& [name, value] : request.fields) bytes += name.size() + value.size() + 4;
  std::string text;
  text.reserve(bytes);
  text.append(request.method).append(1, ' ').append(request.target).append(1, ' ');
  text.append(http::to_string(request.version)).append("\r\n");
  append_line(text, "Host", request.host);
  for (const auto& [name, value] : request.fields) append_line(text, name, value);
  if (request.content_length) append_line(text, "Content-Length", std::to_string(*request.content_length));
  text.append("\r\n");
  return text;
}

}  // namespace h2park::http1
