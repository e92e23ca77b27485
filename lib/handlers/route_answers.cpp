#include "handlers/route_answers.hpp"

namespace h2park::handlers {

Task<> answer_line(http::Responder& response, unsigned status, std::string line) {
  line += '\n';
  response.status(status);
  co_await response.send("text/plain; charset=utf-8", line);
}

Task<> answer_not_allowed(http::Responder& response, std::string_view allow) {
  response.fields().set("allow", allow);
  return answer_line(response, 405, "method not allowed");
}

Task<> answer_options(http::Responder& response, std::string_view allow) {
  response.status(204);
  response.fields().set("allow", allow);
  response.end();
  co_return;
}

Task<> answer_without_resource(http::Request& request, http::Responder& response,
                               std::string_view allow_all) {
  const auto method = parse_method(request.method());
  if (!method || *method == Method::kConnect) return answer_line(response, 501, "method not implemented");
  // TRACE would send secrets back (RFC 9110 9.3.8): no resource allows it.
  if (*method == Method::kTrace) return answer_not_allowed(response, allow_all);
  const std::string_view target = request.head().target;
  if (target == "*" && *method == Method::kOptions) return answer_options(response, allow_all);
  if (!target.starts_with('/')) return answer_line(response, 400, "the target is not a path");
  return {};
}

}  // namespace h2park::handlers
