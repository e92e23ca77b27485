// Request: what a handler sees of a request.
#pragma once

#include "http/exchange.hpp"

#include <expected>

namespace h2park::http {

/// Lifetime: the exchange's, which lives until the handler has returned. Thread: the connection's.
class Request {
 public:
  explicit Request(Exchange& exchange) : exchange_(exchange) {}

  const RequestHead& head() const { return exchange_.request(); }
  std::string_view method() const { return head().method; }
  std::string_view path() const { return head().path(); }
  const Fields& fields() const { return head().fields; }
  /// The value of `name` in the query, percent-decoded ('+' is a space); nothing if it is not there.
  std::optional<std::string> query(std::string_view name) const;
  /// The path parameter `{name}` of the matched route, percent-decoded. "" if the route has none.
  std::string_view parameter(std::string_view name) const;
  const ConnectionInfo& connection() const { return exchange_.host().info(); }
  Exchange& exchange() { return exchange_; }
  const Exchange& exchange() const { return exchange_; }

  /// The next piece of the body; an empty view at its end.
  /// Lifetime: the view is valid until the next read().
  auto read() {
    struct Awaiter {
      Exchange& exchange;
      bool await_ready() {
        if (exchange.inbound_bytes() > 0 || exchange.request_ended() || exchange.read_error()) return true;
        exchange.want_body();
        return false;
      }
      void await_suspend(std::coroutine_handle<> who) { exchange.wait(Exchange::Wait::kRead, who); }
      std::expected<std::string_view, BodyError> await_resume() {
        const std::string_view piece = exchange.read_now();
        if (piece.empty() && exchange.read_error()) return std::unexpected(*exchange.read_error());
        return piece;
      }
    };
    return Awaiter{exchange_};
  }
  /// Complete once read() has returned the empty view.
  const Fields& trailers() const { return exchange_.request_trailers(); }

  /// Set by the router.
  struct Parameter {
    std::string_view name;
    std::string value;
  };
  std::vector<Parameter> parameters;

 private:
  Exchange& exchange_;
};

using Read = std::expected<std::string_view, BodyError>;

}  // namespace h2park::http
