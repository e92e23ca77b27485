// Exchange: one request and its response, as state shared by a protocol session and a handler.
//
//   session --- deliver head, body, end, gone ---> Exchange <--- Request (reads), Responder (writes) ---
//   handler session <-- ExchangePort: head ready, body ready, bytes consumed, reset --- Exchange
//
// 1. The session creates it when a request's head is complete; the connection starts the handler.
// 2. Request body bytes queue here until the handler reads them; the port then refills the peer's window. The
//    queue is bounded by that window (HTTP/2) or by the session not reading on (HTTP/1).
// 3. Response bytes queue here up to kStreamQueueBytes per exchange and OutputBudget::limit per connection; a
//    handler that wants to write more suspends until the session has taken some.
// 4. A handler is never resumed from inside a session's call: what it waits for marks the exchange ready, and
//    the connection resumes it from run_ready() afterwards.
// 5. When the stream ends early (reset, connection lost) the session calls abandon(): every wait of the
//    handler ends with "gone".
// 6. Ownership: the session creates an exchange with new_object() from the connection's memory and owns it
//    until next_request() gave it out; then the connection does, and destroys it from run_ready() once the
//    session has abandoned it and the handler has returned. abandon() is therefore the last thing a session
//    does to one.
//
// Thread: the connection's thread only.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "http/body_source.hpp"
#include "http/connection_info.hpp"
#include "http/fields.hpp"
#include "http/output_budget.hpp"
#include "http/request_head.hpp"

#include <coroutine>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace h2park::http {

class Exchange;

/// Why a handler, or the server, ends an exchange before its response is complete.
enum class ResetReason : std::uint8_t {
  kCancel,         ///< the response is of no more use (CANCEL)
  kInternalError,  ///< the handler failed after its head was sent (INTERNAL_ERROR)
  kShutdown,       ///< the grace period is over (CANCEL)
};

/// What an exchange asks of the session it belongs to. Implemented by the http1 and http2 sessions.
/// Calls may come at any time on the connection's thread, but never from inside the session's own calls to
/// the exchange. They queue output; the connection flushes it afterwards.
class ExchangePort {
 public:
  /// A 1xx answer (RFC 9110 15.2). Never called after response_ready().
  virtual void send_informational(Exchange& exchange, unsigned status, const Fields& fields) = 0;
  /// exchange.response() is complete; what stands in the body queue follows it.
  virtual void response_ready(Exchange& exchange) = 0;
  /// The body queue got bytes, a source, or its end.
  virtual void body_ready(Exchange& exchange) = 0;
  /// The handler waits for a body of which nothing has come: time for 100 Continue if the client expects it.
  virtual void body_wanted(Exchange& exchange) = 0;
  /// The handler took `bytes` of request body.
  virtual void body_consumed(Exchange& exchange, std::size_t bytes) = 0;
  /// End the exchange now; the session abandons it before it returns.
  virtual void reset(Exchange& exchange, ResetReason reason) = 0;
  /// The handler returned. A response that was not ended has been dealt with by the caller.
  virtual void handler_returned(Exchange& exchange) = 0;

 protected:
  ~ExchangePort() = default;
};

/// What an exchange asks of its connection.
class ExchangeHost {
 public:
  /// A wait of the handler has ended, or the exchange was abandoned: call exchange.resume() soon, not now,
  /// and destroy it then if it is over.
  virtual void on_exchange_ready(Exchange& exchange) = 0;
  /// The handler sleeps until exchange.wakes_at(): see to it that fire_sleep() is called then.
  virtual void on_exchange_sleeps(Exchange& exchange) = 0;
  /// Output was queued: flush when the current work is done.
  virtual void on_exchange_output(Exchange& exchange) = 0;
  /// The handler took request body, so that a window is to be refilled: flush when the current work is done.
  virtual void on_exchange_read(Exchange& exchange) { on_exchange_output(exchange); }
  virtual TimePoint now() const = 0;
  /// For `date` fields. A connection passes its thread's TimeSource on.
  virtual std::chrono::system_clock::time_point wall() const { return std::chrono::system_clock::now(); }
  virtual const ConnectionInfo& info() const = 0;

 protected:
  ~ExchangeHost() = default;
};

/// A handler's writes suspend when its exchange has this much queued: one full DATA frame's worth, so that
/// the wire is never starved, and 5,000 stalled responses own no more than 80 MiB.
inline constexpr std::size_t kStreamQueueBytes = 16 * 1024;

struct ResponseHead {
  explicit ResponseHead(std::pmr::memory_resource* memory) : fields(memory) {}
  unsigned status = 200;
  Fields fields;
  /// Set when known beforehand. Sessions write content-length from it.
  std::optional<std::uint64_t> content_length;
};

enum class BodyError : std::uint8_t {
  kGone,       ///< the client went away, reset the stream or timed out: return
  kMalformed,  ///< the body broke its framing; the session is about to close
};

class Exchange {
 public:
  /// Lifetime: `memory`, `port`, `host` and `budget` outlive the exchange (port: until abandon()).
  Exchange(std::pmr::memory_resource* memory, ExchangePort& port, ExchangeHost& host, OutputBudget& budget);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // ---- both sides
  RequestHead& request() { return request_; }
  const RequestHead& request() const { return request_; }
  ResponseHead& response() { return response_; }
  const ResponseHead& response() const { return response_; }
  ExchangeHost& host() { return host_; }
  std::pmr::memory_resource* memory() const { return memory_; }
  /// Place of this request on its connection, from 1.
  std::uint32_t number = 0;
  /// HTTP/2 stream id; 0 in HTTP/1.
  std::int32_t stream_id = 0;
  /// When its head was complete.
  TimePoint started;
  /// The name of the route that took it, for logs. Lifetime: static or as long as the router.
  std::string_view route = "-";
  std::pmr::string request_id;

  // ---- session side, request
  void deliver(std::string_view body);
  /// The request is complete. Trailers, if any, were put into request_trailers() before.
  void deliver_end();
  Fields& request_trailers() { return request_trailers_; }
  bool request_ended() const { return request_ended_; }
  /// Bytes delivered and not yet read by the handler.
  std::size_t inbound_bytes() const { return inbound_.size() - inbound_taken_; }
  /// The stream is over for the session: detaches the port, ends every wait of the handler.
  void abandon(BodyError why = BodyError::kGone);
  bool abandoned() const { return port_ == nullptr; }

  // ---- session side, response
  bool response_started() const { return response_started_; }
  bool response_ended() const { return response_ended_; }
  /// No body bytes follow the head, whatever the handler writes (HEAD, 204, 304).
  bool bodiless() const { return bodiless_; }
  /// Bytes that take() would give now, of the queue or the source.
  std::uint64_t outbound_bytes() const;
  /// True when everything was taken and no more will come (trailers may).
  bool outbound_done() const { return response_ended_ && outbound_bytes() == 0; }
  /// Copies up to room.size() body bytes out and lets a waiting write go on. Returns how many; counts them.
  /// 0 with outbound_bytes() > 0: the source failed, reset the exchange.
  std::size_t take(std::span<char> room);
  /// Lets a waiting write go on, as far as there is room, and tells the session. True: it did.
  bool queue_pending_write();
  /// The head is on its way: what it took of the connection's budget is free again.
  void head_sent();
  const Fields& response_trailers() const { return response_trailers_; }
  std::uint64_t body_bytes_sent() const { return body_bytes_sent_; }

  // ---- session side, hand-over
  /// next_request() gives it out: its handler counts in OutputBudget::handlers until it has returned.
  void give_out();

  // ---- connection side
  bool handler_done = false;
  /// Resumes what waits, if it still has a reason to. May run the handler to its end.
  void resume();
  /// The handler is suspended in one of the waits below, which know it by the exchange only; not in one of
  /// its own, where somebody elsewhere has a handle of its coroutine.
  bool in_own_wait() const { return waiting_ != nullptr; }
  /// kNever unless the handler sleeps.
  TimePoint wakes_at() const { return wakes_at_; }
  /// The sleep is over.
  void fire_sleep();
  void finish_handler();
  /// Links for the connection's lists (all exchanges; ready to resume).
  Exchange* next = nullptr;
  Exchange* previous = nullptr;
  Exchange* next_ready = nullptr;
  bool queued_ready = false;
  /// For OutputBudget's line.
  Exchange* next_in_line = nullptr;
  bool in_line = false;

  // ---- handler side; used through Request and Responder
  std::string_view read_now();  // takes everything delivered; "" if nothing is there
  std::optional<BodyError> read_error() const { return read_error_; }
  void want_body();
  void inform(unsigned status, const Fields& fields);
  /// Sends the head. No effect when started or abandoned.
  void start_response();
  /// Starts the response if need be and queues `bytes`; what does not fit stays with the caller, whose bytes
  /// must live on, and follows as room appears. `last` ends the response after them. True: all is queued, or
  /// gone.
  bool write(std::string_view bytes, bool last);
  void write_source(std::unique_ptr<BodySource> source);
  Fields& mutable_trailers() { return response_trailers_; }
  void end_response();
  void reset(ResetReason reason);
  bool flushed() const { return abandoned() || outbound_bytes() == 0; }
  /// The awaitables of request.hpp and responder.hpp park themselves here. One wait at a time.
  enum class Wait : std::uint8_t { kNone, kRead, kWrite, kFlush, kGone, kSleep };
  void wait(Wait what, std::coroutine_handle<> who, TimePoint until = kNever);

 private:
  bool begin_response();
  bool copy_pending_write(bool at_its_turn);
  void tell_session(bool head, bool body);
  bool wait_is_over() const;
  void mark_ready_if_over();

  // constant after construction
  std::pmr::memory_resource* memory_;
  ExchangeHost& host_;
  OutputBudget& budget_;
  // null once abandoned
  ExchangePort* port_;

  RequestHead request_;
  Fields request_trailers_;
  ResponseHead response_;
  Fields response_trailers_;

  std::pmr::string inbound_;
  std::size_t inbound_taken_ = 0;
  std::pmr::string handed_out_;  // what read_now() returned last
  std::pmr::string outbound_;
  std::size_t outbound_taken_ = 0;
  std::string_view pending_write_;  // the caller's; not yet queued
  bool end_after_write_ = false;
  std::unique_ptr<BodySource> source_;
  std::uint64_t body_bytes_sent_ = 0;
  std::optional<BodyError> read_error_;

  Wait wait_ = Wait::kNone;
  bool request_ended_ = false;
  bool response_started_ = false;
  bool response_ended_ = false;
  bool bodiless_ = false;
  bool body_wanted_ = false;
  bool counted_ = false;  // in budget_.handlers
  std::coroutine_handle<> waiting_;
  TimePoint wakes_at_ = kNever;
  std::size_t charged_head_ = 0;  // bytes of the budget that the head holds

 public:
  /// The handler's coroutine, destroyed before all that it refers to. Set by the connection when it did not
  /// return at once.
  Task<> handler;
};

}  // namespace h2park::http
