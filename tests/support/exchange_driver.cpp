#include "support/exchange_driver.hpp"

#include <algorithm>
#include <memory_resource>

namespace h2park::test {

ExchangeDriver::ExchangeDriver(http::Handler handler_to_run) : handler(std::move(handler_to_run)) {}

ExchangeDriver::~ExchangeDriver() { drop_all(); }

void ExchangeDriver::start_requests(http::Session& session) {
  while (budget.heads < http::OutputBudget::kLimit) {
    http::Exchange* exchange = session.next_request();
    if (exchange == nullptr) return;
    start(*exchange);
  }
}

void ExchangeDriver::start(http::Exchange& exchange) {
  live_.push_back(&exchange);
  if (exchange.abandoned()) {
    exchange.handler_done = true;
    destroy_if_over(exchange);
    return;
  }
  ++started;
  {
    const FrameSourceScope frames(exchange.memory());
    exchange.handler = run(exchange);
  }
  if (!exchange.handler.done()) {
    exchange.handler.on_done(&handler_ended, &exchange);
    return;
  }
  exchange.finish_handler();
  destroy_if_over(exchange);
}

// What the server's recovery middleware and serve loop promise a session, in its smallest form.
Task<> ExchangeDriver::run(http::Exchange& exchange) {
  http::Request request(exchange);
  http::Responder responder(exchange);
  try {
    co_await handler(request, responder);
  } catch (...) {
    ++failed;
    if (responder.started()) {
      responder.reset(http::ResetReason::kInternalError);
    } else {
      responder.fields().clear();
      responder.status(500);
    }
  }
  if (!responder.ended()) responder.end();
}

void ExchangeDriver::handler_ended(void* exchange) noexcept {
  static_cast<http::Exchange*>(exchange)->finish_handler();
}

std::size_t ExchangeDriver::run_ready() {
  std::size_t touched = 0;
  while (!ready_.empty()) {
    http::Exchange* exchange = ready_.front();
    ready_.erase(ready_.begin());
    {
      const FrameSourceScope frames(exchange->memory());
      exchange->resume();
    }
    destroy_if_over(*exchange);
    ++touched;
  }
  return touched;
}

void ExchangeDriver::settle(http::Session& session, http::OutputSink& sink) {
  for (bool moved = true; moved;) {
    const std::size_t started_before = started;
    const std::size_t signals_before = output_signals;
    start_requests(session);
    const bool could_write = session.has_output() && !sink.blocked();
    session.produce(sink);
    budget.feed();
    moved = run_ready() > 0 || could_write || started != started_before || output_signals != signals_before;
  }
}

void ExchangeDriver::advance(Duration by) {
  time.advance(by);
  const auto due = std::partition(sleepers_.begin(), sleepers_.end(),
                                  [&](http::Exchange* e) { return e->wakes_at() > time.now(); });
  const std::vector<http::Exchange*> to_fire(due, sleepers_.end());
  sleepers_.erase(due, sleepers_.end());
  for (http::Exchange* exchange : to_fire) exchange->fire_sleep();
}

void ExchangeDriver::drop_all() {
  while (!live_.empty()) destroy(*live_.back());
}

void ExchangeDriver::destroy_if_over(http::Exchange& exchange) {
  if (exchange.handler_done && exchange.abandoned() && !exchange.queued_ready) destroy(exchange);
}

void ExchangeDriver::destroy(http::Exchange& exchange) {
  std::erase(live_, &exchange);
  std::erase(ready_, &exchange);
  std::erase(sleepers_, &exchange);
  ++destroyed;
  std::pmr::polymorphic_allocator<>(exchange.memory()).delete_object(&exchange);
}

}  // namespace h2park::test
