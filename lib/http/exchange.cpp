#include "http/exchange.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace h2park::http {
namespace {

// A queue that has been read to its end gives its memory back beyond this: an idle stream owns no big buffer.
constexpr std::size_t kKeptCapacity = 512;

void reset_queue(std::pmr::string& queue, std::size_t& taken) {
  taken = 0;
  queue.clear();
  if (queue.capacity() > kKeptCapacity) queue.shrink_to_fit();
}

}  // namespace

Exchange::Exchange(std::pmr::memory_resource* memory, ExchangePort& port, ExchangeHost& host,
                   OutputBudget& budget)
    : request_id(memory),
      memory_(memory),
      host_(host),
      budget_(budget),
      port_(&port),
      request_(memory),
      request_trailers_(memory),
      response_(memory),
      response_trailers_(memory),
      inbound_(memory),
      handed_out_(memory),
      outbound_(memory) {}

Exchange::~Exchange() {
  budget_.leave(*this);
  head_sent();
  budget_.queued -= outbound_.size() - outbound_taken_;
  if (counted_) --budget_.handlers;
}

// ---- session side, request

void Exchange::deliver(std::string_view body) {
  if (inbound_taken_ == inbound_.size()) reset_queue(inbound_, inbound_taken_);
  inbound_.append(body);
  mark_ready_if_over();
}

void Exchange::deliver_end() {
  request_ended_ = true;
  mark_ready_if_over();
}

void Exchange::abandon(BodyError why) {
  if (port_ == nullptr) return;
  port_ = nullptr;
  if (!request_ended_ || inbound_bytes() > 0) read_error_ = why;
  reset_queue(inbound_, inbound_taken_);
  budget_.queued -= outbound_.size() - outbound_taken_;
  reset_queue(outbound_, outbound_taken_);
  head_sent();
  pending_write_ = {};
  budget_.leave(*this);
  source_.reset();
  // Ready in any case: a handler that has returned leaves only the exchange to be destroyed.
  if (!std::exchange(queued_ready, true)) host_.on_exchange_ready(*this);
}

// ---- session side, response

std::uint64_t Exchange::outbound_bytes() const {
  if (source_ != nullptr) return source_->left();
  return outbound_.size() - outbound_taken_;
}

std::size_t Exchange::take(std::span<char> room) {
  std::size_t taken = 0;
  if (source_ != nullptr) {
    taken = source_->read(room.first(std::min<std::uint64_t>(room.size(), source_->left())));
  } else {
    taken = std::min(room.size(), outbound_.size() - outbound_taken_);
    std::memcpy(room.data(), outbound_.data() + outbound_taken_, taken);
    outbound_taken_ += taken;
    budget_.queued -= taken;
    if (outbound_taken_ == outbound_.size()) reset_queue(outbound_, outbound_taken_);
    copy_pending_write(false);
  }
  body_bytes_sent_ += taken;
  mark_ready_if_over();
  return taken;
}

bool Exchange::queue_pending_write() {
  if (port_ == nullptr || !copy_pending_write(true)) return false;
  port_->body_ready(*this);
  return true;
}

void Exchange::head_sent() { budget_.heads -= std::exchange(charged_head_, 0); }

bool Exchange::copy_pending_write(bool at_its_turn) {
  if (pending_write_.empty()) return false;
  const std::size_t mine = outbound_.size() - outbound_taken_;
  const std::size_t stream_room = mine < kStreamQueueBytes ? kStreamQueueBytes - mine : 0;
  // With others waiting, whoever has had its share goes to the end of the line.
  const std::size_t budget_room = budget_.has_line() && !at_its_turn ? 0 : budget_.room();
  const std::size_t bytes = std::min({pending_write_.size(), stream_room, budget_room});
  const bool wants_more = bytes < std::min(pending_write_.size(), stream_room);
  if (wants_more && !in_line) budget_.wait(*this);
  if (bytes == 0) return false;
  if (outbound_taken_ > 0) {
    outbound_.erase(0, outbound_taken_);
    outbound_taken_ = 0;
  }
  outbound_.append(pending_write_.substr(0, bytes));
  budget_.queued += bytes;
  pending_write_.remove_prefix(bytes);
  if (pending_write_.empty() && end_after_write_) response_ended_ = true;
  mark_ready_if_over();
  return true;
}

// ---- connection side

void Exchange::resume() {
  queued_ready = false;
  if (!waiting_ || !wait_is_over()) return;
  wait_ = Wait::kNone;
  wakes_at_ = kNever;
  std::exchange(waiting_, nullptr).resume();
}

void Exchange::fire_sleep() {
  wakes_at_ = kNever;
  mark_ready_if_over();
}

void Exchange::give_out() {
  if (!std::exchange(counted_, true)) ++budget_.handlers;
}

void Exchange::finish_handler() {
  handler_done = true;
  if (std::exchange(counted_, false)) --budget_.handlers;
  if (port_ != nullptr) port_->handler_returned(*this);
}

// ---- handler side

std::string_view Exchange::read_now() {
  std::swap(handed_out_, inbound_);
  const std::size_t taken = std::exchange(inbound_taken_, 0);
  inbound_.clear();
  const std::string_view piece = std::string_view(handed_out_).substr(taken);
  if (piece.empty()) return piece;
  if (port_ != nullptr) {
    port_->body_consumed(*this, piece.size());
    host_.on_exchange_read(*this);
  }
  return piece;
}

void Exchange::want_body() {
  if (std::exchange(body_wanted_, true) || port_ == nullptr) return;
  port_->body_wanted(*this);
  host_.on_exchange_output(*this);
}

void Exchange::inform(unsigned status, const Fields& fields) {
  if (port_ == nullptr || response_started_) return;
  port_->send_informational(*this, status, fields);
  host_.on_exchange_output(*this);
}

// False: the response has begun before.
bool Exchange::begin_response() {
  if (std::exchange(response_started_, true)) return false;
  bodiless_ = request_.method == "HEAD" || response_.status == 204 || response_.status == 304;
  charged_head_ = response_.fields.charged_bytes();
  budget_.heads += charged_head_;
  return true;
}

void Exchange::start_response() {
  if (port_ == nullptr || !begin_response()) return;
  port_->response_ready(*this);
  host_.on_exchange_output(*this);
}

bool Exchange::write(std::string_view bytes, bool last) {
  assert(pending_write_.empty() && source_ == nullptr);
  if (response_ended_ || port_ == nullptr) return true;
  const bool first = begin_response();
  if (bodiless_) bytes = {};
  end_after_write_ = last;
  pending_write_ = bytes;
  if (bytes.empty()) response_ended_ = last;
  copy_pending_write(false);
  tell_session(first, !bytes.empty() || last);
  return pending_write_.empty();
}

void Exchange::write_source(std::unique_ptr<BodySource> source) {
  if (response_ended_ || port_ == nullptr) return;
  if (!response_started_) response_.content_length = source->left();
  const bool first = begin_response();
  response_ended_ = true;
  if (!bodiless_) source_ = std::move(source);
  tell_session(first, true);
}

void Exchange::end_response() {
  if (response_ended_ || port_ == nullptr) return;
  const bool first = begin_response();
  response_ended_ = true;
  tell_session(first, true);
}

void Exchange::tell_session(bool head, bool body) {
  if (head) {
    port_->response_ready(*this);
  } else if (body) {
    port_->body_ready(*this);
  }
  host_.on_exchange_output(*this);
}

void Exchange::reset(ResetReason reason) {
  if (port_ == nullptr) return;
  port_->reset(*this, reason);
  host_.on_exchange_output(*this);
}

// ---- waiting

void Exchange::wait(Wait what, std::coroutine_handle<> who, TimePoint until) {
  assert(!waiting_);
  wait_ = what;
  waiting_ = who;
  if (what == Wait::kSleep) {
    wakes_at_ = until;
    host_.on_exchange_sleeps(*this);
  }
  mark_ready_if_over();
}

bool Exchange::wait_is_over() const {
  if (port_ == nullptr) return true;
  switch (wait_) {
    case Wait::kNone:
    case Wait::kGone:
      return false;
    case Wait::kRead:
      return inbound_bytes() > 0 || request_ended_ || read_error_.has_value();
    case Wait::kWrite:
      return pending_write_.empty();
    case Wait::kFlush:
      return outbound_bytes() == 0;
    case Wait::kSleep:
      return wakes_at_ == kNever;
  }
  return false;
}

void Exchange::mark_ready_if_over() {
  if (!waiting_ || queued_ready || !wait_is_over()) return;
  queued_ready = true;
  host_.on_exchange_ready(*this);
}

}  // namespace h2park::http
