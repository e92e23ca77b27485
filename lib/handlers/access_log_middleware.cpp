#include "handlers/access_log_middleware.hpp"

#include "handlers/access_log_entry.hpp"
#include "handlers/request_id.hpp"

#include <string>
#include <utility>

namespace h2park::handlers {
namespace {

// More than a queue's worth still to come: it is too early to say how this ends.
bool still_sending(const http::Exchange& exchange) {
  return !exchange.abandoned() && exchange.outbound_bytes() > http::kStreamQueueBytes;
}

// A session also abandons an exchange whose last byte it has sent: then the length tells.
bool is_complete(http::Responder& response) {
  if (!response.gone()) return response.ended();
  const http::Exchange& exchange = response.exchange();
  return response.ended() && exchange.response().content_length == exchange.body_bytes_sent();
}

void write_line(AccessLog& log, http::Request& request, http::Responder& response) {
  http::Exchange& exchange = request.exchange();
  // What the caller would do for a handler that left its answer open; done here so that the line is true.
  if (!response.ended() && !response.gone()) {
    if (!response.started()) response.content_length(0);
    response.end();
  }
  const std::string peer = request.connection().peer();
  const http::RequestHead& head = request.head();
  const AccessLogEntry entry{
      .time = exchange.host().wall(),
      .peer = peer,
      .method = head.method,
      .target = head.target,
      .authority = head.authority,
      .protocol = to_string(head.version),
      .route = exchange.route,
      .request_id = request_id_of(exchange),
      .status = response.started() ? exchange.response().status : 0,
      .bytes = exchange.body_bytes_sent() + exchange.outbound_bytes(),
      .duration = exchange.host().now() - exchange.started,
      .connection = request.connection().number(),
      .number = exchange.number,
      .complete = is_complete(response),
  };
  // One buffer per thread: a line costs no allocation.
  thread_local std::string line;
  line.clear();
  if (log.format() == AccessLogFormat::kJson) {
    append_json_line(line, entry);
  } else {
    append_text_line(line, entry);
  }
  log.enqueue(line);
}

Task<> log_later(Task<> rest, AccessLog& log, http::Request& request, http::Responder& response) {
  co_await rest;
  if (still_sending(request.exchange())) co_await response.flush();
  write_line(log, request, response);
}

}  // namespace

http::Middleware access_log_middleware(AccessLog& log) {
  return [&log](http::Request& request, http::Responder& response, const http::Handler& next) {
    Task<> rest = next(request, response);
    if (!rest.done() || still_sending(request.exchange())) {
      return log_later(std::move(rest), log, request, response);
    }
    write_line(log, request, response);
    return rest;
  };
}

}  // namespace h2park::handlers
