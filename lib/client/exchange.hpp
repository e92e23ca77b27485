// Exchange: one request on one connection, from waiting for the connection to the end of the answer.
//
// 1. Takes a connection (client/pool.hpp).
// 2. Sends the request. With Expect: 100-continue the body waits for the server's word or a bounded time. A
//    final response that comes first ends the sending (RFC 9112 9.5).
// 3. Reads the head, 1xx responses before it, and as much of the body as is wanted.
// 4. Leaves the connection to be drained, or closes it.
// 5. A reused connection that turns out dead before a byte of the response came is replaced once by a fresh
//    one, if the method is idempotent (RFC 9112 9.3.1). So is one whose server answers 408: it had given up
//    on us while we were idle (RFC 9110 15.5.9).
#pragma once

#include "base/task.hpp"
#include "client/listener.hpp"
#include "client/options.hpp"
#include "client/pool.hpp"
#include "client/record.hpp"
#include "client/request.hpp"
#include "net/reactor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::client {

/// What an exchange works with. Lifetime: the exchange's.
struct ExchangeContext {
  net::Reactor& reactor;
  Pool& pool;
  const Options& options;
  ResponseListener& listener;
  TimePoint deadline;      ///< of the whole fetch, for its total timeout
  bool follows_redirects;  ///< this one may be followed, so that the body of a redirect is not wanted
};

/// Thread: the client's.
class Exchange final : private http1::ResponseSink {
 public:
  using OnDrained = Connection::OnDrained;

  /// `record`: filled as the exchange goes on; times from `begin` on, the connection's facts, the response's.
  Exchange(const ExchangeContext& context, const Request& request, Record& record);

  /// Ends when the request is answered; record.failure tells whether it is. `on_drained`: see
  /// Connection::answered(); called at once if there is nothing to drain.
  Task<> run(OnDrained on_drained);

  /// Where a redirect that is to be followed points; nothing otherwise.
  const std::optional<std::string>& location() const { return location_; }
  /// 417: the same request is welcome without Expect (RFC 9110 10.1.1).
  bool refuses_expect() const { return refuses_expect_; }
  /// The Retry-After field, "" without one.
  const std::string& retry_after() const { return retry_after_; }

 private:
  enum class Outcome : std::uint8_t { kAnswered, kFailed, kStale };

  Task<Outcome> converse(Connection& connection);
  Task<bool> send(Connection& connection, std::string_view bytes);
  Task<> await_continue(Connection& connection);
  Task<Outcome> read_response(Connection& connection);
  Task<Outcome> read_body(Connection& connection);
  bool receive_early(Connection& connection);
  Outcome fail(FailureKind kind, std::string message);
  Outcome lost(Connection& connection, Connection::Io io);
  Outcome broken(Connection& connection);
  Outcome late(Connection& connection);
  void note_connection(Connection& connection);
  Connection::Io receive(Connection& connection);
  void store_cookies(const http1::ResponseHead& head);
  TimePoint now() const { return context_.reactor.time().now(); }

  void on_informational(const http1::ResponseHead& head) override;
  void on_head(const http1::ResponseHead& head) override;
  void on_body(std::string_view bytes) override;
  void on_trailer(std::string_view name, std::string_view value) override;

  const ExchangeContext& context_;
  const Request& request_;
  Record& record_;
  std::string text_;  // the request's head, and its body if that is small
  std::optional<std::string> location_;
  std::string retry_after_;
  std::uint64_t wanted_ = 0;  // content bytes still to be handed over
  bool continued_ = false;    // 100 came
  bool unsent_ = false;       // the response came before the request was sent
  bool send_failed_ = false;
  bool first_try_ = true;
  bool informed_ = false;    // a 1xx came with the last receive()
  bool first_byte_ = false;  // of the final response, as far as one can tell
  bool stale_ = false;       // 408: see step 5
  bool refuses_expect_ = false;
  bool timed_out_ = false;
};

}  // namespace h2park::client
