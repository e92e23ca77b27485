// ServerSession: streams and the exchanges on them.
#include "http2/server_session.hpp"

namespace h2park::http2 {
namespace {

// Streams take turns, each the more often the less it sent (DESIGN 5); the client's wishes are ignored.
constexpr nghttp2_extpri kTakeTurns = {.urgency = NGHTTP2_EXTPRI_DEFAULT_URGENCY, .inc = 1};

}  // namespace

Stream* ServerSession::find(std::int32_t id) const {
  return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_, id));
}

int ServerSession::begin_request(std::int32_t id) {
  if (open_ >= options_.max_streams) {
    glitch(Glitch::kRefused);
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // decode the rest, tell us nothing of it
  }
  const std::pmr::polymorphic_allocator<> allocator(memory_);
  auto* stream = std::pmr::polymorphic_allocator<>(allocator).new_object<Stream>(id);
  streams_.push_back(*stream);
  ++open_;
  nghttp2_session_set_stream_user_data(session_, id, stream);
  nghttp2_session_change_extpri_stream_priority(session_, id, &kTakeTurns, 1);
  stream->exchange = std::pmr::polymorphic_allocator<>(allocator).new_object<http::Exchange>(
      memory_, static_cast<http::ExchangePort&>(*this), host_, budget_);
  collecting_ = stream;
  fields_.begin_request(stream->exchange->request());
  return 0;
}

void ServerSession::finish_request(Stream& stream, bool end_of_stream) {
  switch (fields_.finish_request(end_of_stream)) {
    case RequestFields::Verdict::kGood:
      publish(stream, end_of_stream);
      break;
    case RequestFields::Verdict::kTooLarge:
      answer_too_large(stream);
      break;
    case RequestFields::Verdict::kMalformed:
      reset_stream(stream, NGHTTP2_PROTOCOL_ERROR);
      break;
  }
}

void ServerSession::publish(Stream& stream, bool end_of_stream) {
  http::Exchange& exchange = *stream.exchange;
  exchange.stream_id = stream.id;
  exchange.number = ++requests_;
  exchange.started = host_.now();
  if (exchange.request().scheme.empty()) exchange.request().scheme = scheme_;  // CONNECT (RFC 9113 8.5)
  pending_.push_back(stream);
  if (end_of_stream) {
    exchange.deliver_end();
  } else {
    bodies_.restart(stream, exchange.started);
  }
}

http::Exchange* ServerSession::next_request() {
  while (!pending_.empty()) {
    Stream& stream = pending_.front();
    pending_.pop_front();
    // Handlers of streams that were reset still run: they count, or resetting would buy more of them.
    if (budget_.handlers >= options_.max_streams) {
      glitch(Glitch::kRefused);
      reset_stream(stream, NGHTTP2_REFUSED_STREAM);
      continue;
    }
    stream.given_out = true;
    stream.exchange->give_out();
    return stream.exchange;
  }
  return nullptr;
}

void ServerSession::end_of_request(Stream& stream) {
  bodies_.stop(stream);
  if (stream.exchange != nullptr) stream.exchange->deliver_end();
}

void ServerSession::body_consumed(http::Exchange& exchange, std::size_t bytes) {
  failed(nghttp2_session_consume(session_, exchange.stream_id, bytes));
}

void ServerSession::reset(http::Exchange& exchange, http::ResetReason reason) {
  if (Stream* stream = find(exchange.stream_id)) {
    reset_stream(*stream,
                 reason == http::ResetReason::kInternalError ? NGHTTP2_INTERNAL_ERROR : NGHTTP2_CANCEL);
  }
}

void ServerSession::reset_stream(Stream& stream, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, code);
  detach(stream);
}

/// The stream is over for its exchange. nghttp2 closes it once the RST_STREAM has left.
void ServerSession::detach(Stream& stream) {
  stream.queue.unlink();
  writes_.stop(stream);
  bodies_.stop(stream);
  http::Exchange* exchange = std::exchange(stream.exchange, nullptr);
  if (exchange == nullptr) return;
  // What nobody will read goes back to the connection's window.
  if (exchange->inbound_bytes() > 0) nghttp2_session_consume_connection(session_, exchange->inbound_bytes());
  if (stream.given_out) {
    exchange->abandon();
  } else {
    destroy(*exchange);
  }
}

void ServerSession::destroy(http::Exchange& exchange) {
  std::pmr::polymorphic_allocator<>(memory_).delete_object(&exchange);
}

void ServerSession::abandon_all() {
  collecting_ = nullptr;
  for (Stream& stream : streams_) detach(stream);
}

int ServerSession::on_stream_close(std::int32_t id, std::uint32_t code) {
  if (nghttp2_session_get_stream_remote_close(session_, id) == 1) closed_.add(id);
  Stream* stream = find(id);
  if (stream == nullptr) return 0;
  if (code == NGHTTP2_NO_ERROR) glitches_.forgive();
  if (collecting_ == stream) collecting_ = nullptr;
  detach(*stream);
  std::pmr::polymorphic_allocator<>(memory_).delete_object(stream);
  if (--open_ == 0) idle_since_ = coarse(host_.now());
  return 0;
}

}  // namespace h2park::http2
