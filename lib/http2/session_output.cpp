// ServerSession: responses, and what produce() sends of them.
#include "http/date.hpp"
#include "http2/callbacks.hpp"
#include "http2/connection_error.hpp"
#include "http2/server_session.hpp"

namespace h2park::http2 {

// ---- what handlers ask for

void ServerSession::response_ready(http::Exchange& exchange) {
  Stream* stream = find(exchange.stream_id);
  if (stream == nullptr) return;
  ResponseFields block;
  ResponseFields::fill(block, exchange.response(), http::date_text(host_.wall()), keeps_date());
  const bool no_body =
      exchange.bodiless() || (exchange.outbound_done() && exchange.response_trailers().empty());
  const nghttp2_data_provider provider = data_provider(stream);
  if (failed(nghttp2_submit_response(session_, stream->id, block.data(), block.size(),
                                     no_body ? nullptr : &provider))) {
    return;
  }
  if (!no_body) watch_write(*stream);
}

// A date that stands in the HPACK table (RFC 7541 2.3.2) makes the answers of the same second shorter. On a
// connection that is asked now and then each would be a new entry, up to sixty of them, 170 bytes each and
// never used.
bool ServerSession::keeps_date() const {
  return open_ > 1 || (requests_ > 1 && host_.now() - idle_since_ < std::chrono::seconds(1));
}

/// A request whose head is over a limit (RFC 9113 10.5.1): no handler sees it.
void ServerSession::answer_too_large(Stream& stream) {
  glitch(Glitch::kStreamError);
  http::ResponseHead head(memory_);
  head.status = 431;
  head.content_length = 0;
  detach(stream);
  ResponseFields block;
  ResponseFields::fill(block, head, http::date_text(host_.wall()), keeps_date());
  nghttp2_submit_response(session_, stream.id, block.data(), block.size(), nullptr);
}

void ServerSession::send_informational(http::Exchange& exchange, unsigned status,
                                       const http::Fields& fields) {
  // RFC 9113 8.6: no 101.
  if (status >= 100 && status < 200 && status != 101)
    submit_informational(exchange.stream_id, status, &fields);
}

void ServerSession::body_wanted(http::Exchange& exchange) {
  const Stream* stream = find(exchange.stream_id);
  if (stream == nullptr || stream->body_seen || exchange.request_ended() || exchange.response_started())
    return;
  if (exchange.request().fields.has_token("expect", "100-continue"))
    submit_informational(stream->id, 100, nullptr);
}

void ServerSession::submit_informational(std::int32_t id, unsigned status, const http::Fields* fields) {
  ResponseFields block;
  block.add_status(status);
  if (fields != nullptr) block.add_all(*fields);
  failed(
      nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, block.data(), block.size(), nullptr));
}

void ServerSession::body_ready(http::Exchange& exchange) {
  Stream* stream = find(exchange.stream_id);
  if (stream == nullptr) return;
  resume(*stream);
  watch_write(*stream);
}

void ServerSession::resume(Stream& stream) {
  if (std::exchange(stream.deferred, false)) nghttp2_session_resume_data(session_, stream.id);
}

void ServerSession::watch_write(Stream& stream) {
  if (stream.exchange->outbound_bytes() > 0 && !writes_.waits(stream)) writes_.restart(stream, host_.now());
}

// ---- what goes out

void ServerSession::produce(http::OutputSink& sink) {
  transport_blocked_ = sink.blocked();
  // While the transport is full nghttp2 keeps its queue, so that its limit for unread replies counts.
  if (phase_ == Phase::kFinished || transport_blocked_) return;
  sink_ = &sink;
  resume_blocked();
  const std::uint8_t* data = nullptr;
  ssize_t bytes = 0;
  while ((bytes = nghttp2_session_mem_send(session_, &data)) > 0) {
    if (settings_sent_) {
      sink.write(std::as_bytes(std::span(data, static_cast<std::size_t>(bytes))));
    } else {  // nghttp2's first frame: see Library::library_settings()
      settings_sent_ = true;
      if (!settings_acked_) settings_sent_at_ = host_.now();
      if (settings_seen_ && !settings_acked_)
        settings_deadline_ = settings_sent_at_ + options_.settings_timeout;
      sink.write(library_.settings_frame());
    }
  }
  sink_ = nullptr;
  transport_blocked_ = sink.blocked();
  if (bytes < 0) return finish(connection_error(static_cast<int>(bytes)).reason);
  finish_if_over();
}

void ServerSession::resume_blocked() {
  while (!blocked_.empty()) {
    Stream& stream = blocked_.front();
    blocked_.pop_front();
    resume(stream);
  }
}

ssize_t ServerSession::read_data(Stream& stream, std::span<char> room, std::uint32_t& flags) {
  if (sink_->blocked()) {
    if (!stream.queue.is_linked()) blocked_.push_back(stream);
    return defer(stream);
  }
  http::Exchange* exchange = stream.exchange;
  if (exchange == nullptr) return defer(stream);  // its RST_STREAM is on the way
  std::size_t taken = 0;
  if (exchange->outbound_bytes() > 0) {
    taken = exchange->take(room);
    if (taken == 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // the source failed: INTERNAL_ERROR
  }
  // A body longer than promised would be malformed (RFC 9113 8.1.1).
  const auto& promised = exchange->response().content_length;
  if (promised && exchange->body_bytes_sent() > *promised) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (exchange->outbound_done()) {
    if (promised && exchange->body_bytes_sent() < *promised) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const ssize_t error = end_body(stream, flags);
    return error != 0 ? error : static_cast<ssize_t>(taken);
  }
  if (exchange->outbound_bytes() > 0) {
    writes_.restart(stream, host_.now());
  } else {
    writes_.stop(stream);
  }
  return taken > 0 ? static_cast<ssize_t>(taken) : defer(stream);
}

ssize_t ServerSession::defer(Stream& stream) {
  stream.deferred = true;
  return NGHTTP2_ERR_DEFERRED;
}

ssize_t ServerSession::end_body(Stream& stream, std::uint32_t& flags) {
  writes_.stop(stream);
  flags |= NGHTTP2_DATA_FLAG_EOF;
  ResponseFields trailers;
  trailers.add_all(stream.exchange->response_trailers());
  if (trailers.size() == 0) return 0;
  flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  return nghttp2_submit_trailer(session_, stream.id, trailers.data(), trailers.size());
}

void ServerSession::on_head_sent(std::int32_t id) {
  Stream* stream = find(id);
  if (stream != nullptr && stream->exchange != nullptr) stream->exchange->head_sent();
}

int ServerSession::on_frame_sent(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      on_head_sent(frame.hd.stream_id);
      [[fallthrough]];
    case NGHTTP2_DATA:
      if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
      // The answer is complete while the request is not: no need to send the rest (RFC 9113 8.1).
      if (nghttp2_session_get_stream_remote_close(session_, frame.hd.stream_id) != 0) return 0;
      return nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_NO_ERROR);
    case NGHTTP2_RST_STREAM:
      if (blames_client(frame.rst_stream.error_code)) glitch(Glitch::kStreamError);
      return 0;
    case NGHTTP2_GOAWAY:
      if (phase_ == Phase::kNoticed && frame.goaway.error_code == NGHTTP2_NO_ERROR) return on_notice_sent();
      if (frame.goaway.error_code == NGHTTP2_NO_ERROR || phase_ >= Phase::kTerminating) return 0;
      phase_ = Phase::kTerminating;
      reason_ = close_reason_of(frame.goaway.error_code);
      return 0;
    default:
      return 0;
  }
}

int ServerSession::on_frame_not_sent(const nghttp2_frame& frame, int error) {
  if (frame.hd.type != NGHTTP2_HEADERS || error != NGHTTP2_ERR_FRAME_SIZE_ERROR) return 0;
  // The handler made more fields than we send: without a head there is no response.
  if (Stream* stream = find(frame.hd.stream_id)) reset_stream(*stream, NGHTTP2_INTERNAL_ERROR);
  return 0;
}

}  // namespace h2park::http2
