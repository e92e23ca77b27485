// ServerSession: bytes in. Requests are parsed where they lie; only what is incomplete is kept.
#include "http1/field_rules.hpp"
#include "http1/request_target.hpp"
#include "http1/session_core.hpp"

#include <algorithm>

namespace h2park::http1 {

void ServerSession::receive(std::span<const std::byte> bytes) {
  const std::string_view input(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (phase_ == Phase::kClosed) return;
  if (kept_.empty()) {
    kept_.append(input.substr(process(input)));
    return;
  }
  kept_.erase(0, std::exchange(kept_taken_, 0));
  kept_.append(input);
  process_kept();
}

void ServerSession::process_kept() {
  kept_taken_ += process(std::string_view(kept_).substr(kept_taken_));
  if (kept_taken_ == kept_.size()) drop_kept();
}

void ServerSession::drop_kept() {
  std::pmr::string(memory_).swap(kept_);
  kept_taken_ = 0;
}

// Returns how much of `input` is done with.
std::size_t ServerSession::process(std::string_view input) {
  std::size_t done = 0;
  while (done < input.size()) {
    const std::string_view rest = input.substr(done);
    std::size_t step = 0;
    switch (phase_) {
      case Phase::kHead:
        step = read_head(rest);
        break;
      case Phase::kBody:
      case Phase::kDrain:
        step = read_body(rest);
        break;
      case Phase::kAnswering:
        return done;
      case Phase::kClosed:
        return input.size();
    }
    if (step == 0 && phase_ != Phase::kClosed) return done;
    done += step;
  }
  return done;
}

bool ServerSession::wants_input() const {
  switch (phase_) {
    case Phase::kHead:
    case Phase::kDrain:
      return !input_ended_;
    case Phase::kBody:
      return !input_ended_ && exchange_->inbound_bytes() < kMaxUnreadBody;
    case Phase::kAnswering:
      return !input_ended_ && kept_.size() - kept_taken_ < kMaxPipelinedBytes;
    case Phase::kClosed:
      break;
  }
  return false;
}

http::Exchange* ServerSession::next_request() {
  if (exchange_ == nullptr || given_out_) return nullptr;
  given_out_ = true;
  return exchange_;
}

// ---- heads

std::size_t ServerSession::skip_empty_lines(std::string_view input) {
  std::size_t skipped = 0;
  if (scanner_.line_bytes() > 0) return skipped;
  while (input.substr(skipped).starts_with("\r\n") && empty_lines_ < kMaxEmptyLines) {
    skipped += 2;
    ++empty_lines_;
  }
  return skipped;
}

std::size_t ServerSession::read_head(std::string_view input) {
  const std::size_t skipped = skip_empty_lines(input);
  if (skipped > 0) {
    head_since_ = kNever;  // an empty line begins no request
    return skipped;
  }
  if (head_since_ == kNever) head_since_ = host_.now();
  switch (scanner_.scan(input, {options_.max_header_bytes, options_.max_header_fields})) {
    case HeadScanner::State::kIncomplete:
      return 0;
    case HeadScanner::State::kRefused:
      refuse(scanner_.status(), http::CloseReason::kProtocol);
      return input.size();
    case HeadScanner::State::kComplete:
      break;
  }
  accept_head(input.substr(0, scanner_.head_bytes()));
  return phase_ == Phase::kClosed ? input.size() : scanner_.head_bytes();
}

void ServerSession::accept_head(std::string_view text) {
  std::pmr::polymorphic_allocator<> allocator(memory_);
  exchange_ = allocator.new_object<http::Exchange>(memory_, *this, host_, budget_);
  given_out_ = false;
  http::RequestHead& head = exchange_->request();
  head.version = scanner_.line().version;
  head.method = scanner_.line().method(text);
  const std::string_view section = text.substr(scanner_.line_bytes());
  head.fields.reserve(scanner_.fields(), section.size());

  parser_.emplace(FieldLimits{options_.max_header_fields, options_.max_header_bytes},
                  static_cast<BodyReceiver&>(*this));
  unsigned status = assign_target(scanner_.line().target(text), secure_, head) ? 0 : 400;
  if (status == 0) status = parser_->parse_fields(head.version, section, head.fields);
  const FieldFacts facts = status == 0 ? apply_field_rules(head) : FieldFacts{status};
  if (facts.status != 0) {
    drop_exchange(http::BodyError::kMalformed);
    return refuse(facts.status, http::CloseReason::kProtocol);
  }
  exchange_->number = ++requests_;
  exchange_->started = host_.now();
  // What follows a CONNECT may be meant for the far end of a tunnel that we did not open.
  client_closes_ = !facts.keep_alive || head.method == "CONNECT";
  expects_continue_ = facts.expects_continue;
  continue_due_ = body_touched_ = head_sent_ = closing_ = false;
  head_since_ = kNever;
  phase_ = Phase::kBody;
  body_since_ = host_.now();
  if (parser_->is_done()) body_complete();
}

// ---- bodies

std::size_t ServerSession::read_body(std::string_view input) {
  const RequestParser::Step step = parser_->parse_body(input);
  if (step.status != 0) {
    body_broken(step.status);
    return input.size();
  }
  if (parser_->is_done()) {
    body_complete();
  } else if (phase_ == Phase::kDrain && drained_ > kMaxDrainBytes) {
    finish(http::CloseReason::kDone, true);
  }
  return step.consumed;
}

void ServerSession::on_body_piece(std::string_view bytes) {
  body_since_ = host_.now();
  expects_continue_ = false;
  if (phase_ == Phase::kBody) {
    exchange_->deliver(bytes);
  } else {
    drained_ += bytes.size();
  }
}

void ServerSession::on_trailer(std::string_view name, std::string_view value) {
  if (phase_ == Phase::kBody) exchange_->request_trailers().add(name, value);
}

void ServerSession::body_complete() {
  parser_.reset();
  expects_continue_ = false;
  body_since_ = kNever;
  if (phase_ == Phase::kDrain) return expect_next_request();
  phase_ = Phase::kAnswering;
  exchange_->deliver_end();
}

// A response that is complete already is worth more to the client than our complaint; one that is half sent
// can't be taken back.
void ServerSession::body_broken(unsigned status) {
  parser_.reset();
  if (phase_ == Phase::kDrain) return finish(http::CloseReason::kProtocol, true);
  if (exchange_->response_ended()) {
    closing_ = true;
    phase_ = Phase::kClosed;
    return;
  }
  const bool started = exchange_->response_started();
  drop_exchange(http::BodyError::kMalformed);
  if (started) return finish(http::CloseReason::kProtocol, true);
  refuse(status, http::CloseReason::kProtocol);
}

// ---- the client's end

void ServerSession::receive_eof() {
  if (input_ended_ || finished_) return;
  input_ended_ = true;
  switch (phase_) {
    case Phase::kAnswering:  // half-closed: the answers to everything it sent still go out
    case Phase::kClosed:
      return;
    case Phase::kBody:
      if (exchange_->response_ended()) return;
      drop_exchange(http::BodyError::kGone);
      break;
    case Phase::kHead:
    case Phase::kDrain:
      break;
  }
  finish(http::CloseReason::kClient, false);
}

// ---- what handlers ask for

void ServerSession::body_wanted(http::Exchange&) {
  body_touched_ = true;
  if (phase_ != Phase::kBody || !expects_continue_ || head_sent_) return;
  expects_continue_ = false;
  continue_due_ = true;
  body_since_ = host_.now();
}

void ServerSession::body_consumed(http::Exchange&, std::size_t) {
  body_touched_ = true;
  if (phase_ == Phase::kBody) body_since_ = host_.now();
}

}  // namespace h2park::http1
