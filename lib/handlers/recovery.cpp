#include "handlers/recovery.hpp"

#include "base/log.hpp"
#include "handlers/access_log_entry.hpp"
#include "handlers/request_id.hpp"

#include <exception>
#include <string>
#include <utility>

namespace h2park::handlers {
namespace {

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "not a std::exception";
  }
}

// Words a client chose (method, id) and a handler's message are escaped: one failure is one line.
std::string describe(http::Request& request, std::string_view what) {
  std::string line = "handler failed: route=\"";
  append_escaped(line, request.exchange().route);
  line += "\" method=\"";
  append_escaped(line, request.method());
  line += "\" request=";
  line += request_id_of(request.exchange());
  line += " connection=" + std::to_string(request.connection().number()) + ": ";
  append_escaped(line, what);
  return line;
}

Task<> send_500(http::Responder& response) {
  // What the handler had prepared was for another answer.
  response.fields().clear();
  response.trailers().clear();
  response.exchange().response().content_length.reset();
  response.status(500);
  announce_request_id(response);
  co_await response.send("text/plain; charset=utf-8", "internal server error\n");
}

// The slow path: `rest` is suspended or has failed, or its start failed with `failure`.
Task<> recover(Task<> rest, std::exception_ptr failure, http::Request& request, http::Responder& response,
               const FailureReport& report) {
  if (rest) {
    try {
      co_await rest;
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (!failure) co_return;
  // The frame goes before the report: what its destructors do is done when somebody reads the line.
  rest = Task<>();
  report(describe(request, text_of(failure)));
  if (response.gone() || response.ended()) co_return;
  if (response.started()) {
    response.reset(http::ResetReason::kInternalError);
    co_return;
  }
  co_await send_500(response);
}

}  // namespace

FailureReport report_to_log() {
  return [](std::string_view line) { log::error(line); };
}

http::Middleware recovery_middleware(FailureReport report) {
  return [report = std::move(report)](http::Request& request, http::Responder& response,
                                      const http::Handler& next) {
    Task<> rest;
    std::exception_ptr failure;
    try {
      rest = next(request, response);
    } catch (...) {
      failure = std::current_exception();
    }
    if (!failure && rest.done() && !rest.exception()) return rest;
    return recover(std::move(rest), std::move(failure), request, response, report);
  };
}

}  // namespace h2park::handlers
