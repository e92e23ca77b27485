// ServerSession: the server's side of an HTTP/2 connection over nghttp2, without I/O (RFC 9113).
//
// Input: receive() lets FrameWatch find the frames and hands the bytes to nghttp2, which calls back on_...();
//   requests queue until next_request() gives them out.
// Output: handlers call the ExchangePort functions, which submit to nghttp2; produce() lets nghttp2 serialize
//   into the thread's FrameBuffer and writes each piece to the sink at once.
// Time: every wait has its deadline; deadline() is their minimum and O(1).
// End:
//
//   open --begin_shutdown(), idle--> noticed --PING ACK, 1 s, cancel()--> leaving --last stream--> finished
//    |   GOAWAY(2^31-1) and PING go out;      GOAWAY(last id) goes out; later
//    |   requests are still taken             requests are ignored (RFC 9113 6.8)
//    +--protocol error, abuse, timeout--> terminating --GOAWAY(code) is out--> finished
//    +--receive_eof()--> finished
//
// Implementation: server_session.cpp (life), session_input.cpp, session_streams.cpp (exchanges),
// session_output.cpp, session_time.cpp.
#pragma once

#include "http/session.hpp"
#include "http2/closed_streams.hpp"
#include "http2/frame_buffer.hpp"
#include "http2/frame_watch.hpp"
#include "http2/glitches.hpp"
#include "http2/library.hpp"
#include "http2/request_fields.hpp"
#include "http2/response_fields.hpp"
#include "http2/session_memory.hpp"
#include "http2/skipped_streams.hpp"
#include "http2/stream.hpp"

#include <nghttp2/nghttp2.h>

namespace h2park::http2 {

/// Made by SessionFactory. Lifetime: what Setup refers to outlives it. Thread: the connection's.
class ServerSession final : public http::Session, public http::ExchangePort {
 public:
  struct Setup {
    std::pmr::memory_resource* memory;
    const http::SessionOptions& options;
    const Library& library;
    FrameBuffer& frame_buffer;
    http::ExchangeHost& host;
    http::OutputBudget& budget;
    std::string_view scheme;
  };

  explicit ServerSession(const Setup& setup);
  ~ServerSession() override;
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  static void* operator new(std::size_t bytes, std::pmr::memory_resource* memory);
  static void operator delete(void* session) noexcept;
  static void operator delete(void* session, std::pmr::memory_resource*) noexcept {
    operator delete(session);
  }

  // ---- http::Session
  void receive(std::span<const std::byte> bytes) override;
  void receive_eof() override;
  bool wants_input() const override { return phase_ != Phase::kFinished; }
  http::Exchange* next_request() override;
  bool has_output() const override;
  void produce(http::OutputSink& sink) override;
  bool finished() const override { return phase_ == Phase::kFinished; }
  http::CloseReason close_reason() const override { return reason_; }
  bool wants_lingering_close() const override;
  bool can_park() const override;
  std::size_t open_streams() const override { return open_; }
  std::size_t buffered_bytes() const override { return fields_.charged_bytes(); }
  TimePoint deadline() const override;
  void on_deadline(TimePoint now) override;
  void begin_shutdown() override;
  void cancel() override;

  // ---- http::ExchangePort
  void send_informational(http::Exchange& exchange, unsigned status, const http::Fields& fields) override;
  void response_ready(http::Exchange& exchange) override;
  void body_ready(http::Exchange& exchange) override;
  void body_wanted(http::Exchange& exchange) override;
  void body_consumed(http::Exchange& exchange, std::size_t bytes) override;
  void reset(http::Exchange& exchange, http::ResetReason reason) override;
  void handler_returned(http::Exchange&) override {}

  // ---- nghttp2's callbacks; they return its error codes
  int on_begin_headers(const nghttp2_frame& frame);
  int on_header(std::string_view name, std::string_view value);
  int on_frame(const nghttp2_frame& frame);
  int on_data(std::int32_t id, std::string_view bytes);
  int on_stream_close(std::int32_t id, std::uint32_t code);
  int on_frame_sent(const nghttp2_frame& frame);
  int on_frame_not_sent(const nghttp2_frame& frame, int error);
  ssize_t read_data(Stream& stream, std::span<char> room, std::uint32_t& flags);

 private:
  enum class Phase : std::uint8_t { kOpen, kNoticed, kLeaving, kTerminating, kFinished };

  // input
  class Feed;
  void on_frame_head(Feed& feed, TimePoint now);
  void on_frame_end(Feed& feed, std::size_t last_piece, TimePoint now);
  void count_head(const FrameHead& head, TimePoint now);
  void feed_library(std::span<const std::byte> bytes);
  void on_settings(bool ack);
  void on_headers_end(bool end_of_stream);
  bool taking_input() const { return phase_ < Phase::kTerminating; }

  // streams
  Stream* find(std::int32_t id) const;
  int begin_request(std::int32_t id);
  void finish_request(Stream& stream, bool end_of_stream);
  void publish(Stream& stream, bool end_of_stream);
  void answer_too_large(Stream& stream);
  void end_of_request(Stream& stream);
  void reset_stream(Stream& stream, std::uint32_t code);
  void detach(Stream& stream);
  void destroy(http::Exchange& exchange);
  void abandon_all();
  void glitch(Glitch what) { glitches_.add(what, host_.now()); }

  // output
  void resume(Stream& stream);
  void resume_blocked();
  void watch_write(Stream& stream);
  bool keeps_date() const;
  ssize_t defer(Stream& stream);
  ssize_t end_body(Stream& stream, std::uint32_t& flags);
  void submit_informational(std::int32_t id, unsigned status, const http::Fields* fields);
  /// True if `result` is an error; the connection is then ending.
  bool failed(int result);

  // life
  void submit_preface();
  void begin_leaving(http::CloseReason reason);
  void on_head_sent(std::int32_t id);
  int on_notice_sent();
  void on_ping_ack(const std::uint8_t* opaque_data);
  void leave();
  void terminate(std::uint32_t code, http::CloseReason reason);
  void finish(http::CloseReason reason);
  void finish_if_over();

  // time
  TimePoint unit_deadline() const;
  TimePoint idle_deadline() const;
  void reap_stalled_writes(TimePoint now);
  void reap_stalled_bodies(TimePoint now);

  // constant after construction
  std::pmr::memory_resource* const memory_;
  const http::SessionOptions& options_;
  const Library& library_;
  http::ExchangeHost& host_;
  http::OutputBudget& budget_;
  const std::string_view scheme_;

  SessionMemory session_memory_;
  nghttp2_session* session_ = nullptr;

  // life
  Phase phase_ = Phase::kOpen;
  http::CloseReason reason_ = http::CloseReason::kClient;
  bool peer_leaving_ = false;  // the client sent GOAWAY
  bool settings_seen_ = false;
  bool settings_acked_ = false;
  bool settings_sent_ = false;

  // input
  FrameWatch watch_;
  RequestFields fields_;
  Stream* collecting_ = nullptr;  // whose field block is being received; null: nobody wants it
  bool collecting_trailers_ = false;
  std::int32_t highest_id_ = 0;
  SkippedStreams skipped_;
  ClosedStreams closed_;
  Glitches glitches_;

  // streams
  StreamList<&Stream::all> streams_;
  StreamList<&Stream::queue> pending_;  // requests not given out
  StreamList<&Stream::queue> blocked_;  // responses that wait for the transport
  std::size_t open_ = 0;
  std::uint32_t requests_ = 0;

  // output: set while produce() runs
  http::OutputSink* sink_ = nullptr;
  bool transport_blocked_ = false;  // when produce() last looked

  // time
  TimePoint settings_deadline_;
  TimePoint settings_sent_at_;     // until both sides have acknowledged; then no time
  TimePoint unit_since_ = kNever;  // first byte of the unfinished frame or field block
  CoarseTime idle_since_;
  TimePoint notice_deadline_ = kNever;
  StallQueue<&Stream::write_stall, &Stream::write_since> writes_;
  StallQueue<&Stream::body_stall, &Stream::body_since> bodies_;
};

}  // namespace h2park::http2
