#include "server/exchanges.hpp"

#include "base/log.hpp"
#include "http/request.hpp"
#include "http/responder.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cassert>

namespace h2park::server {
namespace {

std::size_t index_of(stats::TaskKind kind) { return static_cast<std::size_t>(kind); }

/// The top-level coroutine of one request; Request and Responder live on its frame.
Task<> run_handler(const http::Handler& handler, http::Exchange& exchange) {
  http::Request request(exchange);
  http::Responder responder(exchange);
  co_await handler(request, responder);
  // A handler that said nothing, or did not say that it was done.
  if (!responder.started()) responder.content_length(0);
  responder.end();
}

std::string describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace

Exchanges::~Exchanges() {
  // Only handlers in a wait that is not ours are left here, at the end of the process: their frames go with
  // them.
  while (all_ != nullptr) {
    all_->abandon();
    destroy(*all_);
  }
}

void Exchanges::start(http::Exchange& exchange) {
  exchange.next = all_;
  if (all_ != nullptr) all_->previous = &exchange;
  all_ = &exchange;
  auto& counters = context_.counters;
  measure_start(exchange);
  counters.requests.add();
  counters.in_flight.add();
  counters.tasks_created.add();
  counters.tasks_live[index_of(stats::TaskKind::kHandler)].add();
  const FrameSourceScope frames_here(memory_);
  Task<> task = run_handler(*context_.handler, exchange);
  if (task.done()) {
    handler_ended(exchange, task.exception());
  } else {
    task.on_done(&Exchanges::on_task_done, &exchange);
    exchange.handler = std::move(task);
  }
}

// A session stamps a head with the time at which its connection's turn began, or before. One that had to wait
// for other requests of its connection keeps that.
void Exchanges::measure_start(http::Exchange& exchange) {
  const TimePoint started = now();
  if (exchange.started >= context_.wake.readable_since) exchange.started = started;
  if (!std::exchange(context_.wake.handler_awaited, false)) return;
  context_.counters.wake_latency[static_cast<std::size_t>(context_.wake.depth)].add(
      started - context_.wake.readable_since);
}

void Exchanges::on_task_done(void* context) noexcept {
  auto& exchange = *static_cast<http::Exchange*>(context);
  // The host of every exchange that start() saw is an Exchanges.
  static_cast<Exchanges&>(exchange.host()).handler_ended(exchange, exchange.handler.exception());
}

void Exchanges::handler_ended(http::Exchange& exchange, std::exception_ptr error) noexcept {
  if (error != nullptr) {
    log::error(fmt::format("{}: a handler failed: {}", exchange.route, describe(error)));
    exchange.reset(http::ResetReason::kInternalError);
  }
  context_.counters.tasks_live[index_of(stats::TaskKind::kHandler)].subtract();
  exchange.finish_handler();
  if (exchange.abandoned() && !std::exchange(exchange.queued_ready, true)) on_exchange_ready(exchange);
}

bool Exchanges::run_ready() {
  if (ready_ == nullptr) return false;
  const FrameSourceScope frames_here(memory_);
  // Only what is ready now: a handler that is ready again at once takes its turn after the others' output.
  http::Exchange* batch = std::exchange(ready_, nullptr);
  ready_last_ = nullptr;
  bool refreshed = false;
  while (batch != nullptr) {
    http::Exchange& exchange = *batch;
    batch = std::exchange(exchange.next_ready, nullptr);
    exchange.resume();
    if (exchange.queued_ready) continue;  // it comes up again, and may be over then
    if (!exchange.handler_done || !exchange.abandoned()) continue;
    if (!std::exchange(refreshed, true)) context_.time.refresh();  // one for all that are over together
    destroy(exchange);
  }
  return true;
}

void Exchanges::destroy(http::Exchange& exchange) {
  context_.counters.in_flight.subtract();
  const unsigned family = exchange.response_started() ? exchange.response().status / 100 : 0;
  context_.counters.by_status[std::min(family, 5U)].add();
  context_.counters.request_duration.add(now() - exchange.started);
  if (exchange.previous != nullptr) exchange.previous->next = exchange.next;
  if (exchange.next != nullptr) exchange.next->previous = exchange.previous;
  if (all_ == &exchange) all_ = exchange.next;
  std::pmr::polymorphic_allocator<>(exchange.memory()).delete_object(&exchange);
}

bool Exchanges::pinned() const {
  for (const http::Exchange* exchange = all_; exchange != nullptr; exchange = exchange->next) {
    if (!exchange->handler_done && !exchange->in_own_wait()) return true;
  }
  return false;
}

void Exchanges::fire_sleeps(TimePoint now) {
  if (now < next_sleep_) return;
  next_sleep_ = kNever;
  for (http::Exchange* exchange = all_; exchange != nullptr; exchange = exchange->next) {
    if (exchange->wakes_at() <= now) exchange->fire_sleep();
    next_sleep_ = std::min(next_sleep_, exchange->wakes_at());
  }
}

void Exchanges::on_exchange_ready(http::Exchange& exchange) {
  assert(exchange.queued_ready && exchange.next_ready == nullptr);
  if (ready_ == nullptr) {
    ready_ = &exchange;
  } else {
    ready_last_->next_ready = &exchange;
  }
  ready_last_ = &exchange;
  if (!in_turn) owner_.poke(WakeReason::kHandler);
}

void Exchanges::on_exchange_sleeps(http::Exchange& exchange) {
  next_sleep_ = std::min(next_sleep_, exchange.wakes_at());
  if (!in_turn) owner_.poke(WakeReason::kHandler);
}

void Exchanges::on_exchange_output(http::Exchange&) {
  output_ = true;
  if (!in_turn) owner_.poke(WakeReason::kHandler);
}

void Exchanges::on_exchange_read(http::Exchange&) {
  output_ = true;
  if (!in_turn) owner_.poke(WakeReason::kBody);
}

}  // namespace h2park::server
