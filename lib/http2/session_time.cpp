// ServerSession: what happens when something does not happen.
//
//   what is awaited        how long                                      else
//   client's SETTINGS      settings_timeout from the start               GOAWAY SETTINGS_TIMEOUT
//   ACK of our SETTINGS    settings_timeout from sending them            GOAWAY SETTINGS_TIMEOUT
//   frame, field block     header_timeout from the first byte            GOAWAY ENHANCE_YOUR_CALM
//   payload of DATA        idle_timeout from the frame's first byte      GOAWAY ENHANCE_YOUR_CALM
//   a stream               idle_timeout since the last one ended         GOAWAY NO_ERROR, two steps
//   room for response DATA write_timeout without progress                RST_STREAM CANCEL
//   request DATA           idle_timeout, while its windows are open      RST_STREAM CANCEL
//
// DATA gets longer than other frames because a slow uplink may need it for 16 KiB.
// PING, SETTINGS and partial frames renew none of them (RFC 9113 9.1 asks to keep connections open, 10.5 not
// to be held by empty gestures): a client that wants to stay sends a request.
#include "http2/server_session.hpp"

#include <algorithm>

namespace h2park::http2 {

TimePoint ServerSession::unit_deadline() const {
  if (unit_since_ == kNever) return kNever;
  const bool data = watch_.in_payload() && watch_.head().type == NGHTTP2_DATA;
  return unit_since_ + (data ? options_.idle_timeout : options_.header_timeout);
}

TimePoint ServerSession::idle_deadline() const {
  return open_ == 0 && phase_ == Phase::kOpen ? idle_since_ + options_.idle_timeout : kNever;
}

TimePoint ServerSession::deadline() const {
  if (phase_ >= Phase::kTerminating) return kNever;  // only the transport is awaited
  return std::min({settings_deadline_, unit_deadline(), idle_deadline(), notice_deadline_,
                   writes_.deadline(options_.write_timeout), bodies_.deadline(options_.idle_timeout)});
}

void ServerSession::on_deadline(TimePoint now) {
  if (phase_ >= Phase::kTerminating) return;
  if (settings_deadline_ <= now) return terminate(NGHTTP2_SETTINGS_TIMEOUT, http::CloseReason::kTimeout);
  if (unit_deadline() <= now) return terminate(NGHTTP2_ENHANCE_YOUR_CALM, http::CloseReason::kTimeout);
  reap_stalled_writes(now);
  reap_stalled_bodies(now);
  if (notice_deadline_ <= now) leave();
  if (idle_deadline() <= now) begin_leaving(http::CloseReason::kIdle);
}

void ServerSession::reap_stalled_writes(TimePoint now) {
  while (writes_.deadline(options_.write_timeout) <= now) {
    Stream& stream = writes_.front();
    if (transport_blocked_) {
      writes_.restart(stream, now);  // the connection watches its transport itself
    } else {
      reset_stream(stream, NGHTTP2_CANCEL);
    }
  }
}

void ServerSession::reap_stalled_bodies(TimePoint now) {
  while (bodies_.deadline(options_.idle_timeout) <= now) {
    Stream& stream = bodies_.front();
    const bool may_send = nghttp2_session_get_stream_local_window_size(session_, stream.id) > 0 &&
                          nghttp2_session_get_local_window_size(session_) > 0;
    if (may_send) {
      reset_stream(stream, NGHTTP2_CANCEL);
    } else {
      bodies_.restart(stream, now);  // the handler is the one who does not read
    }
  }
}

}  // namespace h2park::http2
