// The part of a connection that runs handlers, without a connection: for tests of sessions and exchanges.
//
//   ExchangeDriver driver([](http::Request&, http::Responder& res) -> Task<> { ... });
//   auto session = make_server_session(memory, options, driver, driver.budget, false);
//   session->receive(bytes);
//   driver.settle(*session, sink);      // starts handlers, produces, resumes, until nothing moves
//   driver.advance(5s);                 // moves the clock and ends the sleeps that are due
//
// It keeps the rules of http/exchange.hpp: it owns what next_request() gave out, resumes an exchange only
// from run_ready(), and destroys one once its handler has returned and its session has abandoned it.
#pragma once

#include "base/clock.hpp"
#include "http/handler.hpp"
#include "http/session.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace h2park::test {

class FakeConnection final : public http::ConnectionInfo {
 public:
  std::uint64_t number() const override { return 7; }
  std::string peer() const override { return "127.0.0.1:40312"; }
  bool secure() const override { return secure_; }
  http::TlsInfo tls() const override {
    return {"TLSv1.3", "TLS_AES_128_GCM_SHA256", "http/1.1", "localhost", false};
  }
  void set_secure(bool secure) { secure_ = secure; }

 private:
  bool secure_ = false;
};

/// Collects output. With a window, write() still takes everything, but blocked() turns true once `window`
/// bytes were taken: what a full socket looks like.
class MemorySink final : public http::OutputSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    ++writes;
    taken_since_open_ += bytes.size();
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  bool blocked() const override { return taken_since_open_ >= window_; }
  /// Blocks after `bytes` more.
  void open(std::size_t bytes) {
    window_ = bytes;
    taken_since_open_ = 0;
  }
  void open() { open(static_cast<std::size_t>(-1)); }

  std::string text;
  std::size_t writes = 0;

 private:
  std::size_t window_ = static_cast<std::size_t>(-1);
  std::size_t taken_since_open_ = 0;
};

class ExchangeDriver final : public http::ExchangeHost {
 public:
  explicit ExchangeDriver(http::Handler handler);
  /// Requires: the session has been destroyed or has abandoned its exchanges.
  ~ExchangeDriver();
  ExchangeDriver(const ExchangeDriver&) = delete;
  ExchangeDriver& operator=(const ExchangeDriver&) = delete;

  // ---- what the test drives
  /// Takes every request the session has and starts its handler.
  void start_requests(http::Session& session);
  /// Takes ownership of an exchange and starts the handler on it. `exchange` came from new_object().
  void start(http::Exchange& exchange);
  /// Resumes what is ready, destroys what is over. Returns how many exchanges it touched.
  std::size_t run_ready();
  /// Starts, produces and resumes until nothing changes any more.
  void settle(http::Session& session, http::OutputSink& sink);
  /// Moves the clock, then ends the sleeps that are due.
  void advance(Duration by);
  /// Destroys every handler frame and exchange, whatever its state: what a connection's end does.
  void drop_all();

  // ---- what it saw
  std::size_t live() const { return live_.size(); }
  http::Exchange* newest() const { return live_.empty() ? nullptr : live_.back(); }
  std::size_t started = 0;         ///< handlers started
  std::size_t destroyed = 0;       ///< exchanges destroyed
  std::size_t failed = 0;          ///< handlers that ended with an exception
  std::size_t output_signals = 0;  ///< on_exchange_output() calls

  ManualTime time;
  http::OutputBudget budget;
  FakeConnection connection;
  http::Handler handler;

  // ---- http::ExchangeHost
  void on_exchange_ready(http::Exchange& exchange) override { ready_.push_back(&exchange); }
  void on_exchange_sleeps(http::Exchange& exchange) override { sleepers_.push_back(&exchange); }
  void on_exchange_output(http::Exchange&) override { ++output_signals; }
  TimePoint now() const override { return time.now(); }
  std::chrono::system_clock::time_point wall() const override { return time.wall(); }
  const http::ConnectionInfo& info() const override { return connection; }

 private:
  Task<> run(http::Exchange& exchange);
  static void handler_ended(void* exchange) noexcept;
  void destroy_if_over(http::Exchange& exchange);
  void destroy(http::Exchange& exchange);

  std::vector<http::Exchange*> live_;
  std::vector<http::Exchange*> ready_;
  std::vector<http::Exchange*> sleepers_;
};

}  // namespace h2park::test
