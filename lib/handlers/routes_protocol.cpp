// Routes about the protocol itself: /status/{code}, /trailers, /bigheader/{n}, /manyheaders/{n},
// /early-hints, /rst.

#include "handlers/route_answers.hpp"
#include "handlers/route_parameters.hpp"
#include "handlers/routes_builtin.hpp"

#include <string>
#include <string_view>

namespace h2park::handlers {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 1024 * 1024;  // 16 times what clients commonly accept
constexpr std::uint64_t kMaxHeaderFields = 10'000;
constexpr std::string_view kText = "text/plain; charset=utf-8";

// Fields without which an answer of that status would be wrong (RFC 9110 15).
void add_required_fields(http::Fields& fields, unsigned code) {
  if (code == 401) fields.set("www-authenticate", "Basic realm=\"h2park\"");
  if (code == 405) fields.set("allow", "");
  if (code == 407) fields.set("proxy-authenticate", "Basic realm=\"h2park\"");
  if (code == 416) fields.set("content-range", "bytes */0");
}

Task<> send_bodiless(http::Responder& response, unsigned code) {
  response.status(code);
  // RFC 9110 15.3.6: 205 has no content, but unlike 204 and 304 it is not known to have none.
  if (code == 205) response.content_length(0);
  response.end();
  co_return;
}

Task<> send_status(http::Responder& response, unsigned code) {
  add_required_fields(response.fields(), code);
  if (code == 204 || code == 205 || code == 304) return send_bodiless(response, code);
  return answer_line(response, code, std::to_string(code));
}

Task<> send_big_header(http::Responder& response, std::uint64_t bytes) {
  response.fields().set("x-big", std::string(bytes, 'x'));
  return answer_line(response, 200, "a header field of " + std::to_string(bytes) + " bytes");
}

Task<> send_many_headers(http::Responder& response, std::uint64_t count) {
  http::Fields& fields = response.fields();
  fields.reserve(count + 4, count * 20 + 128);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const std::string number = std::to_string(i);
    fields.add("x-header-" + number, number);
  }
  return answer_line(response, 200, std::to_string(count) + " header fields");
}

}  // namespace

Task<> handle_status(http::Request& request, http::Responder& response) {
  const auto code = count_parameter(request, From::kPath, "code", 200, 599);
  if (!code) return answer_line(response, 400, code.error().message);
  return send_status(response, static_cast<unsigned>(*code));
}

Task<> handle_trailers(http::Request&, http::Responder& response) {
  constexpr std::string_view kBody = "two trailer fields follow\n";
  response.fields().set("content-type", kText);
  response.fields().set("trailer", "x-body-bytes, x-body-done");
  response.start();
  const bool written = co_await response.write(kBody);
  if (!written) co_return;
  response.trailers().add("x-body-bytes", std::to_string(kBody.size()));
  response.trailers().add("x-body-done", "true");
  response.end();
}

Task<> handle_big_header(http::Request& request, http::Responder& response) {
  const auto bytes = size_parameter(request, From::kPath, "n", 0, kMaxHeaderBytes);
  if (!bytes) return answer_line(response, 400, bytes.error().message);
  return send_big_header(response, *bytes);
}

Task<> handle_many_headers(http::Request& request, http::Responder& response) {
  const auto count = count_parameter(request, From::kPath, "n", 0, kMaxHeaderFields);
  if (!count) return answer_line(response, 400, count.error().message);
  return send_many_headers(response, *count);
}

Task<> handle_early_hints(http::Request& request, http::Responder& response) {
  constexpr std::string_view kLink = "</style.css>; rel=preload; as=style";
  http::Fields hints(request.exchange().memory());
  hints.add("link", kLink);
  response.inform(103, hints);
  response.fields().set("link", kLink);
  co_await response.send(kText, "103 came before this\n");
}

Task<> handle_rst(http::Request&, http::Responder& response) {
  response.fields().set("content-type", kText);
  response.start();
  const bool written = co_await response.write("this answer ends in a reset\n");
  if (!written) co_return;
  // The client sees a beginning, not only a refusal.
  const bool flushed = co_await response.flush();
  if (!flushed) co_return;
  response.reset(http::ResetReason::kCancel);
}

}  // namespace h2park::handlers
