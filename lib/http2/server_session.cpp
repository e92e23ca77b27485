// ServerSession: its beginning, its end, and what a connection asks of it between.
#include "http2/server_session.hpp"

#include "http2/connection_error.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace h2park::http2 {
namespace {

// How long the first GOAWAY waits for the PING's ACK, that is a round trip (RFC 9113 6.8). A client slower
// than this may lose requests that it sends after the second GOAWAY left; it knows from the last id that it
// can retry.
constexpr Duration kNoticeTime = std::chrono::seconds(1);

constexpr std::array<std::uint8_t, 8> kNoticePing = {'h', '2', 'p', 'a', 'r', 'k', 0, 1};

// Before the session itself in its block: what operator delete needs to know.
struct alignas(16) Origin {
  std::pmr::memory_resource* memory;
  std::size_t bytes;
};

}  // namespace

void* ServerSession::operator new(std::size_t bytes, std::pmr::memory_resource* memory) {
  const std::size_t total = bytes + sizeof(Origin);
  return new (memory->allocate(total, alignof(Origin))) Origin{memory, total} + 1;
}

void ServerSession::operator delete(void* session) noexcept {
  if (session == nullptr) return;
  auto* origin = static_cast<Origin*>(session) - 1;
  origin->memory->deallocate(origin, origin->bytes, alignof(Origin));
}

ServerSession::ServerSession(const Setup& setup)
    : memory_(setup.memory),
      options_(setup.options),
      library_(setup.library),
      host_(setup.host),
      budget_(setup.budget),
      scheme_(setup.scheme),
      session_memory_(setup.memory, setup.frame_buffer),
      fields_(setup.memory, setup.options) {
  nghttp2_mem functions = session_memory_.functions();
  session_memory_.set_creating(true);
  const int result =
      nghttp2_session_server_new3(&session_, library_.callbacks(), this, library_.option(), &functions);
  session_memory_.set_creating(false);
  if (result != 0) throw std::bad_alloc();
  submit_preface();
  const TimePoint now = host_.now();
  idle_since_ = coarse(now);
  settings_deadline_ = now + options_.settings_timeout;
  settings_sent_at_ = now;  // the client's SETTINGS may be read before ours are produced
}

void ServerSession::submit_preface() {
  const auto settings = library_.library_settings();
  int result = nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  if (result == 0)
    result = nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  if (result == 0) return;
  nghttp2_session_del(session_);
  throw std::bad_alloc();
}

ServerSession::~ServerSession() {
  abandon_all();
  streams_.clear_and_dispose(
      [this](Stream* stream) { std::pmr::polymorphic_allocator<>(memory_).delete_object(stream); });
  nghttp2_session_del(session_);
}

void ServerSession::receive_eof() {
  // HTTP/2 has no half-closed connections: without WINDOW_UPDATE and SETTINGS ACK no response gets far, and a
  // browser that closes a tab looks just like this. Handlers learn at once that the client is gone.
  finish(phase_ == Phase::kOpen ? http::CloseReason::kClient : reason_);
}

bool ServerSession::wants_lingering_close() const {
  // What the client has under way would be answered by a reset, which can destroy the GOAWAY before it is
  // read.
  return reason_ != http::CloseReason::kClient;
}

// No wake-up is lost while parked, one line per sender (DESIGN 3):
//   readable   nothing received is unprocessed here: nghttp2 takes all of it, and requests are given out;
//              a partial frame stays, with its deadline running, and the rest of it makes the socket readable
//   handler    goes through ExchangePort, then ExchangeHost::on_exchange_output
//   body read  likewise (on_exchange_read): window updates are queued here, so has_output() turns true
//   timer      deadline() covers SETTINGS ACK, partial frames, idleness, stalled streams; notices never park
//   shutdown   begin_shutdown() queues output
//   write      unsent bytes belong to the connection; responses held back for the transport count as output
bool ServerSession::can_park() const { return phase_ == Phase::kOpen && pending_.empty() && !has_output(); }

bool ServerSession::has_output() const {
  if (phase_ == Phase::kFinished) return false;
  // A transport that was full counts: only the next produce() learns that it is not any more, and whether a
  // response then waits for the client's window instead (write_timeout).
  return nghttp2_session_want_write(session_) != 0 || transport_blocked_;
}

void ServerSession::begin_shutdown() { begin_leaving(http::CloseReason::kShutdown); }

void ServerSession::begin_leaving(http::CloseReason reason) {
  if (phase_ != Phase::kOpen) return;
  phase_ = Phase::kNoticed;
  reason_ = reason;
  if (failed(nghttp2_submit_shutdown_notice(session_))) return;
  notice_deadline_ = host_.now() + kNoticeTime;
}

// nghttp2 sends a PING before all else, so it is submitted only now: its ACK must come from a client that has
// seen the notice.
int ServerSession::on_notice_sent() {
  return nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, kNoticePing.data());
}

void ServerSession::on_ping_ack(const std::uint8_t* opaque_data) {
  if (phase_ == Phase::kNoticed &&
      std::ranges::equal(kNoticePing, std::span(opaque_data, kNoticePing.size()))) {
    leave();
  }
}

void ServerSession::leave() {
  phase_ = Phase::kLeaving;
  notice_deadline_ = kNever;
  failed(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                               NGHTTP2_NO_ERROR, nullptr, 0));
}

void ServerSession::cancel() {
  begin_leaving(http::CloseReason::kShutdown);
  if (phase_ == Phase::kNoticed) leave();
  for (Stream& stream : streams_) {
    if (stream.exchange != nullptr) reset_stream(stream, NGHTTP2_CANCEL);
  }
  // A transport that takes nothing will not take the resets either.
  if (transport_blocked_) finish(reason_);
}

void ServerSession::terminate(std::uint32_t code, http::CloseReason reason) {
  if (phase_ >= Phase::kTerminating) return;
  phase_ = Phase::kTerminating;
  reason_ = reason;
  const int result = nghttp2_session_terminate_session(session_, code);
  abandon_all();
  if (result != 0) finish(http::CloseReason::kError);
}

bool ServerSession::failed(int result) {
  if (result == 0) return false;
  const ConnectionError error = connection_error(result);
  terminate(error.code, error.reason);
  return true;
}

void ServerSession::finish(http::CloseReason reason) {
  if (phase_ == Phase::kFinished) return;
  phase_ = Phase::kFinished;
  reason_ = reason;
  abandon_all();
}

void ServerSession::finish_if_over() {
  if (phase_ == Phase::kFinished) return;
  // The client opens no more streams: nothing is left to wait for (RFC 9113 6.8).
  if (peer_leaving_ && open_ == 0 && phase_ < Phase::kLeaving) leave();
  if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0) finish(reason_);
}

}  // namespace h2park::http2
