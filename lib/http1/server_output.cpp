// ServerSession: bytes out.
#include "http1/field_rules.hpp"
#include "http1/session_core.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace h2park::http1 {

void ServerSession::send_informational(http::Exchange& exchange, unsigned status,
                                       const http::Fields& fields) {
  // RFC 9110 15.2: never to HTTP/1.0. 101 would promise an upgrade that we do not speak.
  if (exchange.request().version == http::Version::kHttp10 || status < 100 || status > 199 || status == 101)
    return;
  append_informational(informational_, status, fields);
}

bool ServerSession::has_output() const {
  if (finished_) return false;
  if (refusal_ != 0 || continue_due_ || !informational_.empty()) return true;
  if (exchange_ == nullptr || !exchange_->response_started()) return false;
  return !head_sent_ || exchange_->outbound_bytes() > 0 || exchange_->response_ended();
}

// Each turn of the loop ends one exchange; the next request may stand in kept_ already, but it has no handler
// yet.
void ServerSession::produce(http::OutputSink& sink) {
  if (!has_output()) return;
  OutputBuffer out(sink);
  if (!informational_.empty()) {
    out.append(informational_);
    std::pmr::string(memory_).swap(informational_);
  }
  if (std::exchange(continue_due_, false) && !exchange_->response_started())
    out.append("HTTP/1.1 100 Continue\r\n\r\n");
  if (exchange_ != nullptr && exchange_->response_started() && produce_response(out, sink)) {
    end_exchange();
    if (phase_ == Phase::kHead || phase_ == Phase::kDrain) process_kept();
    // RFC 9112 9.6: the half-closed client has its last answer.
    if (input_ended_ && exchange_ == nullptr && refusal_ == 0 && !finished_)
      finish(http::CloseReason::kClient, false);
  }
  if (refusal_ != 0) {
    append_refusal(out, refusal_, host_.wall());
    finish(refusal_reason_, !input_ended_);
  }
  out.flush();
}

// True when the response is complete and the exchange can end. False: blocked, waiting for the handler, or
// finished.
bool ServerSession::produce_response(OutputBuffer& out, const http::OutputSink& sink) {
  if (!head_sent_) {
    // A client that pipelines and does not read must not make us queue heads without end.
    if (sink.blocked()) return false;
    write_head(out);
    exchange_->head_sent();
  }
  return write_body(out, sink) && exchange_->outbound_done() && write_end(out);
}

// ---- the head

void ServerSession::choose_framing() {
  const http::ResponseHead& head = exchange_->response();
  const bool has_trailers = !exchange_->response_trailers().empty();
  std::optional<std::uint64_t> length = head.content_length;
  if (!length) {
    // A handler may have set the field itself.
    const std::string_view text = head.fields.find("content-length").value_or("");
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && error == std::errc() && stop == text.data() + text.size()) length = value;
  }
  const bool keeps_trailers = has_trailers && exchange_->request().version != http::Version::kHttp10;
  if (!length && exchange_->response_ended() && !keeps_trailers && !exchange_->bodiless()) {
    length = exchange_->outbound_bytes();  // all of it is here already
  }
  if (head.status == 205) length = 0;  // RFC 9110 15.3.6
  if (exchange_->bodiless()) {
    framing_ = Framing::kNone;
  } else if (length) {
    framing_ = Framing::kLength;
  } else {
    framing_ =
        exchange_->request().version == http::Version::kHttp10 ? Framing::kUntilClose : Framing::kChunked;
  }
  length_left_ = length.value_or(0);
}

// The rest of the request body is small enough to be read and thrown away.
bool ServerSession::can_drain() const {
  if (expects_continue_ || input_ended_ || !parser_) return false;
  const auto left = parser_->content_length_remaining();
  return !left || *left <= kMaxDrainBytes;
}

void ServerSession::choose_persistence() {
  closing_ = closing_ || client_closes_ || shutting_down_ || framing_ == Framing::kUntilClose;
  if (input_ended_ && kept_.empty()) closing_ = true;
  // A refused upload: the handler will not read the body, and its end is far or unknown. One that expects
  // 100 Continue may come or not: nobody could tell it from the next request.
  const bool refused = exchange_->response_ended() || !body_touched_;
  if (phase_ == Phase::kBody && refused && (!can_drain() || parser_->chunked())) closing_ = true;
}

void ServerSession::write_head(OutputBuffer& out) {
  choose_framing();
  choose_persistence();
  const http::ResponseHead& head = exchange_->response();
  // A final answer outside 200..999 is a bug of the handler.
  append_status_line(out, head.status >= 200 && head.status <= 999 ? head.status : 500);
  if (!head.fields.find("date")) append_date(out, host_.wall());
  if (!head.fields.find("server")) out.append("server: h2park\r\n");
  append_handler_fields(out, head.fields);
  switch (framing_) {
    case Framing::kNone:
      // What a GET would have got (RFC 9110 8.6); never with 204.
      if (length_left_ > 0 && head.status != 204) append_number_field(out, "content-length", length_left_);
      break;
    case Framing::kLength:
      append_number_field(out, "content-length", length_left_);
      break;
    case Framing::kChunked:
      out.append("transfer-encoding: chunked\r\n");
      break;
    case Framing::kUntilClose:
      break;
  }
  if (closing_) {
    out.append("connection: close\r\n");
  } else if (exchange_->request().version == http::Version::kHttp10) {
    out.append("connection: keep-alive\r\n");
  }
  out.append("\r\n");
  head_sent_ = true;
}

// ---- the body

// False: the sink is blocked, or the exchange is gone.
bool ServerSession::write_body(OutputBuffer& out, const http::OutputSink& sink) {
  while (exchange_->outbound_bytes() > 0) {
    if (sink.blocked()) return false;
    const bool written = framing_ == Framing::kChunked ? write_chunk(out) : write_piece(out);
    if (written) continue;
    drop_exchange(http::BodyError::kGone);
    out.flush();
    finish(http::CloseReason::kError, false);
    return false;
  }
  return true;
}

// False: the source failed.
bool ServerSession::write_piece(OutputBuffer& out) {
  const std::span<char> room = out.room(1024);
  const std::size_t taken = exchange_->take(room);
  if (framing_ == Framing::kUntilClose) {
    out.commit(taken);
  } else {
    // More than was promised would be read as the next response.
    const std::size_t kept = static_cast<std::size_t>(std::min<std::uint64_t>(taken, length_left_));
    length_left_ -= kept;
    out.commit(kept);
  }
  return taken > 0;
}

// One chunk per take(). A source may give less than it has; the head then shrinks and the data moves up.
bool ServerSession::write_chunk(OutputBuffer& out) {
  constexpr std::size_t kOverhead = kChunkHeadBytes + 2;
  const std::span<char> room = out.room(1024);
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(exchange_->outbound_bytes(), room.size() - kOverhead));
  const std::size_t head = write_chunk_head(room.data(), wanted);
  const std::size_t taken = exchange_->take(room.subspan(head, wanted));
  if (taken == 0) return false;
  std::size_t at = head;
  if (taken < wanted) {
    at = write_chunk_head(room.data(), taken);
    std::memmove(room.data() + at, room.data() + head, taken);
  }
  at += taken;
  room[at] = '\r';
  room[at + 1] = '\n';
  out.commit(at + 2);
  return true;
}

// False: the handler ended before the length it promised, so that the client must see the connection break.
bool ServerSession::write_end(OutputBuffer& out) {
  if (framing_ == Framing::kLength && length_left_ > 0) {
    drop_exchange(http::BodyError::kGone);
    out.flush();
    finish(http::CloseReason::kError, false);
    return false;
  }
  if (framing_ == Framing::kChunked) {
    out.append("0\r\n");
    append_trailers(out, exchange_->response_trailers());
    out.append("\r\n");
  }
  return true;
}

}  // namespace h2park::http1
