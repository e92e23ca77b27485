// Runs a handler against one exchange at a time, without a session: for tests of routes and middleware.
//
//   HandlerRig rig(handler);
//   const Answer& answer = rig.ask("GET", "/hello");              // all at once
//   rig.start("GET", "/delay/50"); rig.advance(50ms);             // step by step, on a fake clock
//   rig.start("POST", "/echo"); rig.send("piece"); rig.finish();  // a body as it comes
//
// The peer takes everything unless hold() was called, then nothing until take().
#pragma once

#include "support/exchange_driver.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::test {

using FieldList = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// What the client has got so far.
struct Answer {
  bool head = false;   ///< the final head has come
  bool ended = false;  ///< the response is complete
  std::optional<http::ResetReason> reset;
  bool source_failed = false;  ///< the body source broke its promise; a session resets the stream
  unsigned status = 0;
  std::optional<std::uint64_t> content_length;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::pair<std::string, std::string>> trailers;
  std::vector<std::pair<unsigned, std::string>> informational;  ///< status and first value
  std::string body;
  std::uint64_t body_bytes = 0;  ///< counted even when the body is not kept

  /// The first value of that name, or "".
  std::string_view field(std::string_view name) const;
  std::string_view trailer(std::string_view name) const;
};

class HandlerRig final : private http::ExchangePort {
 public:
  explicit HandlerRig(http::Handler handler);
  ~HandlerRig();

  /// A whole request with its body; runs until nothing moves. The length is known unless `known_length` is
  /// off.
  const Answer& ask(std::string_view method, std::string_view target, FieldList fields = {},
                    std::optional<std::string_view> body = std::nullopt, bool known_length = true);

  /// The head of a request. A body follows with send() and finish(), unless the method is GET, HEAD or
  /// OPTIONS.
  void start(std::string_view method, std::string_view target, FieldList fields = {},
             std::optional<std::uint64_t> content_length = std::nullopt);
  void send(std::string_view piece);
  void finish();
  void advance(Duration by);
  /// The client goes away.
  void vanish();
  void hold() { holding_ = true; }
  void release();
  /// Takes up to `bytes` of body while holding. Returns how many came.
  std::size_t take(std::size_t bytes);
  void settle();

  const Answer& answer() const { return answer_; }
  /// Null once it is over and destroyed.
  http::Exchange* exchange() const { return driver.newest(); }
  bool handler_running() const { return driver.newest() != nullptr && !driver.newest()->handler_done; }

  ExchangeDriver driver;
  http::Version version = http::Version::kHttp2;
  bool keep_body = true;
  std::size_t body_wanted_calls = 0;
  std::size_t body_bytes_consumed = 0;

 private:
  void end_exchange();

  void send_informational(http::Exchange& exchange, unsigned status, const http::Fields& fields) override;
  void response_ready(http::Exchange& exchange) override;
  void body_ready(http::Exchange& exchange) override;
  void body_wanted(http::Exchange&) override { ++body_wanted_calls; }
  void body_consumed(http::Exchange&, std::size_t bytes) override { body_bytes_consumed += bytes; }
  void reset(http::Exchange& exchange, http::ResetReason reason) override;
  void handler_returned(http::Exchange&) override {}

  Answer answer_;
  bool holding_ = false;
  std::uint32_t requests_ = 0;
};

}  // namespace h2park::test
