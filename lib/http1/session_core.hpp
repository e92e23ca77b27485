// ServerSession: the state of one HTTP/1 connection.
//
// One exchange at a time (RFC 9112 9.3.2): pipelined requests wait, unparsed, until the one before is over on
// both sides.
//
//              head complete              body complete
//   kHead ------------------------> kBody --------------> kAnswering
//     ^  \                            |                       |
//     |   \ no body                   | response complete     | response complete
//     |    `--------------------------+---------------------->|
//     |                               v                       |
//     |       rest is small:       kDrain                     |
//     +-------------------------------+-----------------------+      anything that ends the connection:
//     kClosed
//
// Input: server_input.cpp. Output: server_output.cpp. Time and the connection's end: server_session.cpp.
#pragma once

#include "http/session.hpp"
#include "http1/head_scanner.hpp"
#include "http1/output_buffer.hpp"
#include "http1/request_parser.hpp"
#include "http1/response_text.hpp"

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::http1 {

/// Pipelined bytes beyond this are left in the socket.
inline constexpr std::size_t kMaxPipelinedBytes = 16 * 1024;
/// A request body that the handler has not read yet; HTTP/1's flow control is not to read on.
inline constexpr std::size_t kMaxUnreadBody = 64 * 1024;
/// The rest of a refused upload that is read and thrown away to keep the connection. Beyond it a new
/// connection is cheaper than the bytes.
inline constexpr std::size_t kMaxDrainBytes = 64 * 1024;
/// Empty lines before a request line: RFC 9112 2.2 asks for one.
inline constexpr unsigned kMaxEmptyLines = 4;

class ServerSession final : public http::Session, public http::ExchangePort, private BodyReceiver {
 public:
  ServerSession(std::pmr::memory_resource* memory, const http::SessionOptions& options,
                http::ExchangeHost& host, http::OutputBudget& budget, bool secure);
  ~ServerSession() override;
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  /// The object lies in the connection's memory; a header before it remembers which.
  static void* operator new(std::size_t bytes, std::pmr::memory_resource* memory);
  static void operator delete(void* object) noexcept;
  static void operator delete(void* object, std::pmr::memory_resource* memory) noexcept;

  // ---- http::Session
  void receive(std::span<const std::byte> bytes) override;
  void receive_eof() override;
  bool wants_input() const override;
  http::Exchange* next_request() override;
  bool has_output() const override;
  void produce(http::OutputSink& sink) override;
  bool finished() const override { return finished_; }
  http::CloseReason close_reason() const override { return reason_; }
  bool wants_lingering_close() const override { return lingering_; }
  bool can_park() const override;
  std::size_t open_streams() const override { return exchange_ != nullptr ? 1 : 0; }
  std::size_t buffered_bytes() const override { return kept_.size() - kept_taken_ + informational_.size(); }
  TimePoint deadline() const override;
  void on_deadline(TimePoint now) override;
  void begin_shutdown() override;
  void cancel() override;

  // ---- http::ExchangePort
  void send_informational(http::Exchange& exchange, unsigned status, const http::Fields& fields) override;
  void response_ready(http::Exchange&) override {}  // produce() asks the exchange
  void body_ready(http::Exchange&) override {}
  void body_wanted(http::Exchange& exchange) override;
  void body_consumed(http::Exchange& exchange, std::size_t bytes) override;
  void reset(http::Exchange& exchange, http::ResetReason reason) override;
  void handler_returned(http::Exchange&) override {}

 private:
  enum class Phase : std::uint8_t { kHead, kBody, kAnswering, kDrain, kClosed };

  // ---- input
  std::size_t process(std::string_view input);
  void process_kept();
  std::size_t read_head(std::string_view input);
  std::size_t skip_empty_lines(std::string_view input);
  void accept_head(std::string_view head);
  std::size_t read_body(std::string_view input);
  void body_complete();
  void body_broken(unsigned status);
  void drop_kept();
  void on_body_piece(std::string_view bytes) override;
  void on_trailer(std::string_view name, std::string_view value) override;

  // ---- output
  bool produce_response(OutputBuffer& out, const http::OutputSink& sink);
  void choose_framing();
  void choose_persistence();
  void write_head(OutputBuffer& out);
  bool write_body(OutputBuffer& out, const http::OutputSink& sink);
  bool write_piece(OutputBuffer& out);
  bool write_chunk(OutputBuffer& out);
  bool write_end(OutputBuffer& out);
  bool can_drain() const;

  // ---- life
  void refuse(unsigned status, http::CloseReason reason);
  void finish(http::CloseReason reason, bool lingering);
  void end_exchange();
  void expect_next_request();
  void drop_exchange(http::BodyError why);
  bool input_is_open() const { return !input_ended_ && phase_ != Phase::kClosed; }

  // constant after construction
  std::pmr::memory_resource* memory_;
  const http::SessionOptions& options_;
  http::ExchangeHost& host_;
  http::OutputBudget& budget_;
  bool secure_;

  // the connection
  Phase phase_ = Phase::kHead;
  http::CloseReason reason_ = http::CloseReason::kDone;
  bool finished_ = false;
  bool lingering_ = false;
  bool input_ended_ = false;  // EOF came
  bool shutting_down_ = false;
  std::uint16_t refusal_ = 0;  // status of the session's own answer, still to be sent
  http::CloseReason refusal_reason_ = http::CloseReason::kProtocol;
  std::uint32_t requests_ = 0;
  std::uint32_t empty_lines_ = 0;
  std::pmr::string kept_;  // a partial head, chunk line or trailer section; pipelined requests
  std::size_t kept_taken_ = 0;
  std::pmr::string informational_;  // 1xx responses not sent yet
  CoarseTime idle_since_;
  TimePoint head_since_ = kNever;  // first byte of an incomplete head
  TimePoint body_since_ = kNever;  // last byte of an incomplete body
  HeadScanner scanner_;

  // the current request
  http::Exchange* exchange_ = nullptr;
  bool given_out_ = false;         // by next_request(): the connection owns it
  bool expects_continue_ = false;  // and has neither got it nor sent any of the body
  bool continue_due_ = false;
  bool body_touched_ = false;   // the handler wanted or took some of it
  bool client_closes_ = false;  // the client asked for the end of the connection after this
  std::size_t drained_ = 0;
  std::optional<RequestParser> parser_;  // while a head or a body is being parsed

  // the current response
  bool head_sent_ = false;
  bool closing_ = false;  // after this response
  Framing framing_ = Framing::kNone;
  std::uint64_t length_left_ = 0;
};

}  // namespace h2park::http1
