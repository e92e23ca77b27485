// Responder: how a handler answers.
//
// One piece:   co_return co_await res.send("text/plain", "hello\n");   (also after res.status(404))
// Streaming:   res.fields().add("content-type", "text/plain");
//              res.start();
//              if (!co_await res.write(piece)) co_return;      // false: the client is gone
//              res.trailers().add("grpc-status", "0");
//              res.end();
#pragma once

#include "http/exchange.hpp"

#include <algorithm>

namespace h2park::http {

struct WriteAwaiter {
  Exchange& exchange;
  std::string_view bytes;
  bool last;

  bool await_ready() { return exchange.write(bytes, last); }
  void await_suspend(std::coroutine_handle<> who) { exchange.wait(Exchange::Wait::kWrite, who); }
  bool await_resume() { return !exchange.abandoned(); }
};

/// Lifetime: the exchange's. Thread: the connection's.
/// A handler that returns without ending its response: the caller sends an empty 200 if nothing was started,
/// else ends the body.
class Responder {
 public:
  explicit Responder(Exchange& exchange) : exchange_(exchange) {}

  void status(unsigned code) { exchange_.response().status = code; }
  /// Requires (for changes): not started().
  Fields& fields() { return exchange_.response().fields; }
  void content_length(std::uint64_t bytes) { exchange_.response().content_length = bytes; }
  bool started() const { return exchange_.response_started(); }
  bool ended() const { return exchange_.response_ended(); }
  bool gone() const { return exchange_.abandoned(); }
  Exchange& exchange() { return exchange_; }

  /// A 1xx answer, for example 103 with `link` fields. No effect once started.
  void inform(unsigned code, const Fields& fields) { exchange_.inform(code, fields); }

  /// Sends the head now. Without a content_length the body is chunked (HTTP/1.1) or open-ended.
  void start() { exchange_.start_response(); }

  /// Queues `bytes`, which stay valid until the co_await returns. Suspends while the queue is full.
  /// Returns false when the client is gone: clean up and return. Starts the response if need be.
  WriteAwaiter write(std::string_view bytes) { return {exchange_, bytes, false}; }

  /// Waits until everything written has left for the transport. False: gone.
  auto flush() {
    struct Awaiter {
      Exchange& exchange;
      bool await_ready() { return exchange.flushed(); }
      void await_suspend(std::coroutine_handle<> who) { exchange.wait(Exchange::Wait::kFlush, who); }
      bool await_resume() { return !exchange.abandoned(); }
    };
    return Awaiter{exchange_};
  }

  /// Sleeps. False: the client went away before the time was over.
  auto sleep(Duration for_how_long) {
    struct Awaiter {
      Exchange& exchange;
      Duration how_long;
      bool await_ready() { return exchange.abandoned() || how_long <= Duration::zero(); }
      void await_suspend(std::coroutine_handle<> who) {
        exchange.wait(Exchange::Wait::kSleep, who, exchange.host().now() + how_long);
      }
      bool await_resume() { return !exchange.abandoned(); }
    };
    return Awaiter{exchange_, for_how_long};
  }

  /// Waits until the client is gone.
  auto until_gone() {
    struct Awaiter {
      Exchange& exchange;
      bool await_ready() { return exchange.abandoned(); }
      void await_suspend(std::coroutine_handle<> who) { exchange.wait(Exchange::Wait::kGone, who); }
      void await_resume() {}
    };
    return Awaiter{exchange_};
  }

  /// Body bytes that are fetched as the peer takes them. Ends the response. Sets content-length.
  void send_source(std::unique_ptr<BodySource> source) { exchange_.write_source(std::move(source)); }

  /// The whole response: content-type, content-length, body. `body` stays valid until the co_await returns.
  WriteAwaiter send(std::string_view content_type, std::string_view body) {
    if (!content_type.empty()) fields().set("content-type", content_type);
    content_length(body.size());
    return {exchange_, body, true};
  }

  Fields& trailers() { return exchange_.mutable_trailers(); }
  void end() { exchange_.end_response(); }
  void reset(ResetReason reason) { exchange_.reset(reason); }

 private:
  Exchange& exchange_;
};

}  // namespace h2park::http
