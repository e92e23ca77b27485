#include "client/request_head.hpp"

#include "client/cookie_jar.hpp"
#include "client/credentials.hpp"
#include "http1/field_tokens.hpp"
#include "http1/request_text.hpp"

#include <algorithm>

namespace h2park::client {
namespace {

const std::string* find_field(const Request& request, std::string_view name) {
  const auto found = std::ranges::find_if(
      request.fields, [&](const auto& field) { return http1::equal_ignoring_case(field.first, name); });
  return found == request.fields.end() ? nullptr : &found->second;
}

bool has_token(const Request& request, std::string_view name, std::string_view token) {
  bool found = false;
  for (const auto& [field, value] : request.fields) {
    if (!http1::equal_ignoring_case(field, name)) continue;
    http1::for_each_token(
        value, [&](std::string_view each) { found = found || http1::equal_ignoring_case(each, token); });
  }
  return found;
}

}  // namespace

Result<std::string> request_head(const Request& request, const Options& options,
                                 std::chrono::system_clock::time_point wall) {
  http1::RequestLineAndFields head{.method = request.method,
                                   .target = request.url.target,
                                   .version = request.version,
                                   .host = request.url.origin.authority()};
  std::string cookies = options.cookies != nullptr ? options.cookies->header_for(request.url, wall) : "";
  for (const auto& field : request.fields) {
    if (http1::equal_ignoring_case(field.first, "host")) {
      head.host = field.second;
    } else if (!cookies.empty() && http1::equal_ignoring_case(field.first, "cookie")) {
      cookies.append("; ").append(field.second);  // one field has them all (RFC 6265 5.4)
    } else {
      head.fields.push_back(field);
    }
  }
  if (!cookies.empty()) head.fields.emplace_back("Cookie", std::move(cookies));
  if (request.url.has_credentials && find_field(request, "authorization") == nullptr) {
    head.fields.emplace_back("Authorization", basic_authorization(request.url.user, request.url.password));
  }
  const Proxy* proxy = options.proxies.find(request.url.origin);
  if (proxy != nullptr && !request.url.origin.secure) {
    head.target = request.url.text();
    if (!proxy->authorization.empty()) head.fields.emplace_back("Proxy-Authorization", proxy->authorization);
  }
  const bool framed =
      find_field(request, "content-length") != nullptr || find_field(request, "transfer-encoding") != nullptr;
  if (request.body && !framed) head.content_length = request.body->size();
  return http1::request_text(head);
}

http1::RequestTraits traits_of(const Request& request) {
  return {.head = request.method == "HEAD",
          .connect = request.method == "CONNECT",
          .upgrade = find_field(request, "upgrade") != nullptr};
}

bool expects_continue(const Request& request) {
  return request.body && has_token(request, "expect", "100-continue");
}

void drop_expect(Request& request) {
  std::erase_if(request.fields,
                [](const auto& field) { return http1::equal_ignoring_case(field.first, "expect"); });
}

CloseReason close_asked(const Request& request) {
  if (has_token(request, "connection", "close")) return CloseReason::kConnectionClose;
  if (request.version == http::Version::kHttp10 && !has_token(request, "connection", "keep-alive")) {
    return CloseReason::kHttp10;
  }
  return CloseReason::kNone;
}

bool is_idempotent(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
         method == "OPTIONS" || method == "TRACE";
}

}  // namespace h2park::client
