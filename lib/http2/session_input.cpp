// ServerSession: from bytes to frames to events.
//
// 1. FrameWatch walks over the input. Bytes collect in Feed and go to nghttp2 in as few calls as possible.
// 2. Before a DATA frame, or HEADERS on a stream that is not new, nghttp2 gets what came before, so that the
//    check for closed streams sees the present (RFC 9113 5.1).
// 3. The end of a SETTINGS frame is fed alone: nghttp2 resets a stream whose window overflows by a new
//    INITIAL_WINDOW_SIZE, where 6.9.2 asks for a connection error. More than the ACK in its queue shows it.
// 4. Whatever makes work without use is counted (Glitches).
#include "http2/connection_error.hpp"
#include "http2/server_session.hpp"

#include <cstring>

namespace h2park::http2 {
namespace {

bool carries_fields(std::uint8_t type) {
  return type == NGHTTP2_HEADERS || type == NGHTTP2_CONTINUATION || type == NGHTTP2_PUSH_PROMISE;
}

const std::uint8_t* octets(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

}  // namespace

/// The input of one receive() call, and how much of it nghttp2 has.
class ServerSession::Feed {
 public:
  Feed(ServerSession& session, std::span<const std::byte> bytes) : session_(session), bytes_(bytes) {}

  std::span<const std::byte> rest() const { return bytes_.subspan(at_); }
  void advance(std::size_t bytes) { at_ += bytes; }
  void frame_begins() { frame_ = at_; }
  /// nghttp2 has everything before the current frame, as far as it is in this input.
  void catch_up_to_frame() { up_to(frame_); }
  /// nghttp2 has everything but the last `bytes`.
  void catch_up_but(std::size_t bytes) { up_to(at_ - bytes); }
  void catch_up() { up_to(at_); }

 private:
  void up_to(std::size_t end) {
    if (fed_ >= end) return;
    session_.feed_library(bytes_.subspan(fed_, end - fed_));
    fed_ = end;
  }

  ServerSession& session_;
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::size_t frame_ = 0;
  std::size_t fed_ = 0;
};

void ServerSession::receive(std::span<const std::byte> bytes) {
  if (!taking_input()) return;
  const TimePoint now = host_.now();
  Feed feed(*this, bytes);
  while (taking_input()) {
    if (watch_.between_frames() && !feed.rest().empty()) {
      feed.frame_begins();
      if (unit_since_ == kNever) unit_since_ = now;
    }
    const FrameWatch::Step step = watch_.step(feed.rest());
    feed.advance(step.bytes);
    if (step.event == FrameWatch::Event::kNone) break;
    if (step.event == FrameWatch::Event::kHead) {
      on_frame_head(feed, now);
    } else {
      on_frame_end(feed, step.bytes, now);
    }
  }
  if (taking_input()) feed.catch_up();
  finish_if_over();
}

void ServerSession::feed_library(std::span<const std::byte> bytes) {
  const ssize_t result = nghttp2_session_mem_recv(session_, octets(bytes), bytes.size());
  if (result < 0) failed(static_cast<int>(result));
  if (glitches_.spent(host_.now())) terminate(NGHTTP2_ENHANCE_YOUR_CALM, http::CloseReason::kCalm);
}

void ServerSession::on_frame_head(Feed& feed, TimePoint now) {
  const FrameHead head = watch_.head();
  count_head(head, now);
  if (glitches_.spent(now)) return terminate(NGHTTP2_ENHANCE_YOUR_CALM, http::CloseReason::kCalm);
  const bool headers = head.type == NGHTTP2_HEADERS;
  if (headers && head.stream > highest_id_) {
    skipped_.opened(highest_id_, head.stream);
    highest_id_ = head.stream;
    return;
  }
  if (!headers && head.type != NGHTTP2_DATA) return;
  feed.catch_up_to_frame();
  if (headers && skipped_.contains(head.stream)) {
    return terminate(NGHTTP2_PROTOCOL_ERROR, http::CloseReason::kProtocol);
  }
  if (closed_.contains(head.stream)) terminate(NGHTTP2_STREAM_CLOSED, http::CloseReason::kProtocol);
}

void ServerSession::count_head(const FrameHead& head, TimePoint now) {
  const bool ack = (head.flags & NGHTTP2_FLAG_ACK) != 0;
  switch (head.type) {
    case NGHTTP2_DATA:
      if (head.length == 0 && (head.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        glitches_.add(Glitch::kEmptyFrame, now);
      break;
    case NGHTTP2_HEADERS:
    case NGHTTP2_CONTINUATION:
      if (head.length == 0) glitches_.add(Glitch::kEmptyFrame, now);
      break;
    case NGHTTP2_PRIORITY:
      glitches_.add(Glitch::kPriority, now);
      break;
    case NGHTTP2_RST_STREAM:
      glitches_.add(Glitch::kPeerReset, now);
      break;
    case NGHTTP2_SETTINGS:
      if (!ack && settings_seen_) glitches_.add(Glitch::kSettings, now);
      break;
    case NGHTTP2_PING:
      if (!ack || phase_ != Phase::kNoticed) glitches_.add(Glitch::kPing, now);
      break;
    case NGHTTP2_PUSH_PROMISE:
    case NGHTTP2_GOAWAY:
    case NGHTTP2_WINDOW_UPDATE:
      break;
    default:
      glitches_.add(Glitch::kUnknownFrame, now);
  }
}

void ServerSession::on_frame_end(Feed& feed, std::size_t last_piece, TimePoint now) {
  const FrameHead& head = watch_.head();
  const bool block_goes_on = carries_fields(head.type) && (head.flags & NGHTTP2_FLAG_END_HEADERS) == 0;
  if (!block_goes_on) unit_since_ = kNever;
  const std::int32_t word = static_cast<std::int32_t>(watch_.payload_word() & 0x7fff'ffff);
  switch (head.type) {
    case NGHTTP2_WINDOW_UPDATE:
      if (word < static_cast<std::int32_t>(Glitches::kTinyIncrement)) glitches_.add(Glitch::kTinyWindow, now);
      break;
    case NGHTTP2_PRIORITY:
      // nghttp2 does not look at PRIORITY any more once priorities are switched off (RFC 9113 6.3).
      if (head.length != 5 || (head.stream != 0 && word != head.stream)) break;
      feed.catch_up_to_frame();
      terminate(NGHTTP2_PROTOCOL_ERROR, http::CloseReason::kProtocol);
      break;
    case NGHTTP2_SETTINGS: {
      if (head.length == 0) break;
      feed.catch_up_but(last_piece);
      const std::size_t queued = nghttp2_session_get_outbound_queue_size(session_);
      feed.catch_up();
      if (nghttp2_session_get_outbound_queue_size(session_) <= queued + 1) break;
      terminate(NGHTTP2_FLOW_CONTROL_ERROR, http::CloseReason::kProtocol);
      break;
    }
    default:
      break;
  }
}

int ServerSession::on_begin_headers(const nghttp2_frame& frame) {
  collecting_ = nullptr;
  collecting_trailers_ = frame.headers.cat != NGHTTP2_HCAT_REQUEST;
  if (!collecting_trailers_) return begin_request(frame.hd.stream_id);
  Stream* stream = find(frame.hd.stream_id);
  if (stream == nullptr || stream->exchange == nullptr) return 0;
  collecting_ = stream;
  fields_.begin_trailers(stream->exchange->request_trailers());
  return 0;
}

int ServerSession::on_header(std::string_view name, std::string_view value) {
  if (collecting_ != nullptr) fields_.add(name, value);
  return 0;
}

int ServerSession::on_frame(const nghttp2_frame& frame) {
  const bool end_of_stream = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      on_headers_end(end_of_stream);
      break;
    case NGHTTP2_DATA:
      if (end_of_stream) {
        if (Stream* stream = find(frame.hd.stream_id)) end_of_request(*stream);
      } else if (frame.hd.length > 0 && frame.hd.length == frame.data.padlen) {
        glitch(Glitch::kEmptyFrame);  // nothing but padding
      }
      break;
    case NGHTTP2_SETTINGS:
      on_settings((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0);
      break;
    case NGHTTP2_PING:
      if ((frame.hd.flags & NGHTTP2_FLAG_ACK) != 0) on_ping_ack(frame.ping.opaque_data);
      break;
    case NGHTTP2_GOAWAY:
      peer_leaving_ = true;
      break;
    default:
      break;
  }
  return 0;
}

void ServerSession::on_headers_end(bool end_of_stream) {
  Stream* stream = std::exchange(collecting_, nullptr);
  if (stream == nullptr) return;
  if (!collecting_trailers_) return finish_request(*stream, end_of_stream);
  if (fields_.finish_trailers() == RequestFields::Verdict::kTooLarge) {
    return reset_stream(*stream, NGHTTP2_ENHANCE_YOUR_CALM);
  }
  end_of_request(*stream);
}

void ServerSession::on_settings(bool ack) {
  (ack ? settings_acked_ : settings_seen_) = true;
  if (!settings_seen_) return;
  if (settings_acked_) {
    settings_deadline_ = kNever;
    settings_sent_at_ = {};
  } else {
    settings_deadline_ = settings_sent_at_ + options_.settings_timeout;
  }
}

int ServerSession::on_data(std::int32_t id, std::string_view bytes) {
  Stream* stream = find(id);
  if (stream == nullptr || stream->exchange == nullptr) {
    return nghttp2_session_consume_connection(session_, bytes.size());  // nobody will read it
  }
  stream->body_seen = true;
  bodies_.restart(*stream, host_.now());
  stream->exchange->deliver(bytes);
  return 0;
}

}  // namespace h2park::http2
