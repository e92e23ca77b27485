// Exchanges: the requests of one connection that its handlers work on.
//
// Starts a handler as a coroutine, resumes it when what it waits for has come, and destroys the exchange when
// the session has let go of it and the handler has returned.
#pragma once

#include "http/exchange.hpp"
#include "server/connection_context.hpp"
#include "server/wake_set.hpp"

namespace h2park::server {

/// What handlers need of their connection when nothing else has woken it.
class ExchangeOwner {
 public:
  /// A handler did something while the connection was not in its turn: see to it that it gets one.
  virtual void poke(WakeReason reason) = 0;
  virtual const http::ConnectionInfo& connection_info() const = 0;

 protected:
  ~ExchangeOwner() = default;
};

/// Thread: the connection's.
class Exchanges final : public http::ExchangeHost {
 public:
  /// Handlers' frames come from `memory`, the connection's.
  Exchanges(ConnectionContext& context, std::pmr::memory_resource* memory, ExchangeOwner& owner)
      : context_(context), memory_(memory), owner_(owner) {}
  Exchanges(const Exchanges&) = delete;
  Exchanges& operator=(const Exchanges&) = delete;
  ~Exchanges();

  /// Takes a request from its session and starts its handler, which may run to its end.
  void start(http::Exchange& exchange);
  /// Resumes handlers whose waits have ended, and destroys what is over. Returns false if there was nothing
  /// to do.
  bool run_ready();
  /// Ends the sleeps that are due.
  void fire_sleeps(TimePoint now);
  /// When the first handler's sleep ends, or earlier; kNever if none sleeps.
  TimePoint next_sleep() const { return next_sleep_; }
  /// A handler is suspended where somebody outside holds its coroutine: the connection's memory must stay
  /// where it is.
  bool pinned() const;
  bool empty() const { return all_ == nullptr; }
  bool has_ready() const { return ready_ != nullptr; }
  /// Output was queued since the last call.
  bool take_output() { return std::exchange(output_, false); }

  // ExchangeHost
  void on_exchange_ready(http::Exchange& exchange) override;
  void on_exchange_sleeps(http::Exchange& exchange) override;
  void on_exchange_output(http::Exchange& exchange) override;
  void on_exchange_read(http::Exchange& exchange) override;
  TimePoint now() const override { return context_.time.now(); }
  std::chrono::system_clock::time_point wall() const override { return context_.time.wall(); }
  const http::ConnectionInfo& info() const override { return owner_.connection_info(); }

  /// Set by the connection while it works: its own loop will see what handlers do.
  bool in_turn = false;

 private:
  void measure_start(http::Exchange& exchange);
  void handler_ended(http::Exchange& exchange, std::exception_ptr error) noexcept;
  void destroy(http::Exchange& exchange);
  static void on_task_done(void* exchange) noexcept;

  ConnectionContext& context_;
  std::pmr::memory_resource* const memory_;
  ExchangeOwner& owner_;
  http::Exchange* all_ = nullptr;
  http::Exchange* ready_ = nullptr;
  http::Exchange* ready_last_ = nullptr;
  TimePoint next_sleep_ = kNever;
  bool output_ = false;
};

}  // namespace h2park::server
