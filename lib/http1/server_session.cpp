#include "http1/server_session.hpp"

#include "http1/session_core.hpp"

#include <algorithm>
#include <cassert>

namespace h2park::http1 {
namespace {

struct alignas(16) Origin {
  std::pmr::memory_resource* memory;
  std::size_t bytes;
};

// What a connection that has asked for nothing yet gets when the server stops: a request may be on its way,
// or it was opened just in case.
constexpr Duration kFirstRequestTime = std::chrono::seconds(1);

}  // namespace

std::unique_ptr<http::Session> make_server_session(std::pmr::memory_resource* memory,
                                                   const http::SessionOptions& options,
                                                   http::ExchangeHost& host, http::OutputBudget& budget,
                                                   bool secure) {
  return std::unique_ptr<http::Session>(new (memory) ServerSession(memory, options, host, budget, secure));
}

void* ServerSession::operator new(std::size_t bytes, std::pmr::memory_resource* memory) {
  const std::size_t total = bytes + sizeof(Origin);
  return new (memory->allocate(total, alignof(Origin))) Origin{memory, total} + 1;
}

void ServerSession::operator delete(void* object) noexcept {
  Origin* origin = static_cast<Origin*>(object) - 1;
  const auto [memory, bytes] = *origin;
  memory->deallocate(origin, bytes, alignof(Origin));
}

void ServerSession::operator delete(void* object, std::pmr::memory_resource*) noexcept {
  operator delete(object);
}

ServerSession::ServerSession(std::pmr::memory_resource* memory, const http::SessionOptions& options,
                             http::ExchangeHost& host, http::OutputBudget& budget, bool secure)
    : memory_(memory),
      options_(options),
      host_(host),
      budget_(budget),
      secure_(secure),
      kept_(memory),
      informational_(memory),
      idle_since_(coarse(host.now())) {}

ServerSession::~ServerSession() { drop_exchange(http::BodyError::kGone); }

// ---- state the connection asks for

bool ServerSession::can_park() const {
  return !finished_ && !has_output() && kept_.empty() && (exchange_ == nullptr || given_out_);
}

TimePoint ServerSession::deadline() const {
  if (finished_ || refusal_ != 0) return kNever;
  switch (phase_) {
    case Phase::kHead:
      if (head_since_ != kNever) return head_since_ + options_.header_timeout;
      return idle_since_ + (shutting_down_ ? kFirstRequestTime : options_.idle_timeout);
    case Phase::kBody:
      // Not the client's fault: it waits for 100 Continue, or we do not read.
      if (expects_continue_ || !wants_input()) return kNever;
      return body_since_ + options_.idle_timeout;
    case Phase::kDrain:
      return body_since_ + options_.idle_timeout;
    case Phase::kAnswering:
    case Phase::kClosed:
      break;
  }
  return kNever;
}

void ServerSession::on_deadline(TimePoint now) {
  if (now < deadline()) return;
  const bool between_requests = phase_ == Phase::kHead && head_since_ == kNever;
  if (between_requests) {
    return finish(shutting_down_ ? http::CloseReason::kShutdown : http::CloseReason::kIdle, false);
  }
  if (phase_ == Phase::kDrain || (exchange_ != nullptr && exchange_->response_started())) {
    drop_exchange(http::BodyError::kGone);
    return finish(http::CloseReason::kTimeout, false);
  }
  drop_exchange(http::BodyError::kGone);
  refuse(408, http::CloseReason::kTimeout);
}

// ---- the end

void ServerSession::begin_shutdown() {
  if (finished_) return;
  shutting_down_ = true;
  // A head that has begun is a request the client already counts on: it still gets its answer.
  // So is the first request of a connection that was accepted before the stop: it is on its way.
  const bool idle = phase_ == Phase::kHead && head_since_ == kNever && requests_ > 0;
  if (idle || phase_ == Phase::kDrain) finish(http::CloseReason::kShutdown, true);
  idle_since_ = coarse(host_.now());
}

void ServerSession::cancel() {
  drop_exchange(http::BodyError::kGone);
  if (!finished_) finish(http::CloseReason::kShutdown, false);
}

void ServerSession::reset(http::Exchange& exchange, http::ResetReason reason) {
  assert(&exchange == exchange_);
  static_cast<void>(exchange);
  drop_exchange(http::BodyError::kGone);
  switch (reason) {
    case http::ResetReason::kCancel:
      return finish(http::CloseReason::kDone, false);
    case http::ResetReason::kInternalError:
      return finish(http::CloseReason::kError, false);
    case http::ResetReason::kShutdown:
      return finish(http::CloseReason::kShutdown, false);
  }
}

// The session's own answer; everything after it is thrown away.
void ServerSession::refuse(unsigned status, http::CloseReason reason) {
  refusal_ = static_cast<std::uint16_t>(status);
  refusal_reason_ = reason;
  phase_ = Phase::kClosed;
  parser_.reset();
}

void ServerSession::finish(http::CloseReason reason, bool lingering) {
  finished_ = true;
  reason_ = reason;
  lingering_ = lingering;
  refusal_ = 0;
  continue_due_ = false;
  informational_.clear();
  phase_ = Phase::kClosed;
}

void ServerSession::drop_exchange(http::BodyError why) {
  if (exchange_ == nullptr) return;
  continue_due_ = false;
  http::Exchange* exchange = std::exchange(exchange_, nullptr);
  if (given_out_) {
    exchange->abandon(why);
  } else {
    std::pmr::polymorphic_allocator<>(memory_).delete_object(exchange);
  }
}

// The response is sent. Requires: exchange_.
void ServerSession::end_exchange() {
  const bool request_complete = phase_ == Phase::kAnswering;
  const bool close = closing_ || shutting_down_;
  drop_exchange(http::BodyError::kGone);
  if (!request_complete && (close || !can_drain())) {
    return finish(input_ended_ ? http::CloseReason::kClient : http::CloseReason::kDone, !input_ended_);
  }
  if (close) {
    const auto reason = shutting_down_ ? http::CloseReason::kShutdown : http::CloseReason::kDone;
    return finish(input_ended_ ? http::CloseReason::kClient : reason, !input_ended_ && !client_closes_);
  }
  if (request_complete) return expect_next_request();
  phase_ = Phase::kDrain;
  drained_ = 0;
  body_since_ = host_.now();
}

void ServerSession::expect_next_request() {
  phase_ = Phase::kHead;
  empty_lines_ = 0;
  head_since_ = kNever;
  body_since_ = kNever;
  idle_since_ = coarse(host_.now());
  scanner_ = HeadScanner();
}

}  // namespace h2park::http1
