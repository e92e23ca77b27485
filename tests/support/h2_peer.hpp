// The client's side of an HTTP/2 conversation with a ServerSession in memory.
//
//   H2Peer peer(h2_routes());
//   peer.greet();                                   // preface and SETTINGS, both ways
//   peer.write_headers(1, request("GET", "/hello"));
//   EXPECT_EQ(peer.response(1).body, "hello\n");
//   peer.want_no_error();
//
// Frames are written by hand and read strictly: what a server must never send fails the test.
#pragma once

#include "http2/session_factory.hpp"
#include "support/exchange_driver.hpp"
#include "support/h2_wire.hpp"

#include <nghttp2/nghttp2.h>

#include <map>
#include <memory>
#include <memory_resource>
#include <optional>

namespace h2park::test {

/// Counts what a connection takes, and what it does not give back.
class CountingMemory final : public std::pmr::memory_resource {
 public:
  std::size_t live = 0;
  std::size_t peak = 0;
  std::size_t largest = 0;
  std::size_t blocks = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

struct H2Response {
  std::vector<unsigned> informational;
  std::vector<FieldList> informational_fields;
  unsigned status = 0;
  FieldList fields;
  std::string body;
  FieldList trailers;
  std::size_t data_frames = 0;
  bool ended = false;
  std::optional<std::uint32_t> reset;
  std::size_t resets = 0;

  std::string field(std::string_view name) const;
};

class H2Peer {
 public:
  explicit H2Peer(http::Handler handler, http::SessionOptions options = {});
  /// Shares `factory`, and so the frame buffer, with other peers.
  H2Peer(http::Handler handler, http2::SessionFactory& factory);
  ~H2Peer();
  H2Peer(const H2Peer&) = delete;
  H2Peer& operator=(const H2Peer&) = delete;

  // ---- writing
  /// Gives bytes to the session and lets everything run until nothing moves.
  void send(std::string_view bytes);
  /// The same without letting anything run.
  void receive(std::string_view bytes);
  void settle();
  void greet(const SettingList& settings = {});
  void write_headers(std::uint32_t stream, const FieldList& fields, bool end_stream = true);
  void write_data(std::uint32_t stream, std::string_view bytes, bool end_stream = false);
  /// Moves the clock there in steps, so that every deadline on the way is met at its time.
  void advance(Duration by);

  // ---- reading
  const H2Response& response(std::uint32_t stream) { return responses_[stream]; }
  void want_goaway(std::uint32_t code);
  void want_rst(std::uint32_t stream, std::uint32_t code);
  /// Since the last question.
  void want_settings_ack();
  void want_ping_ack(std::string_view eight_bytes);
  /// The connection lives and nothing was said against it: a PING comes back.
  void want_alive();
  void want_finished(http::CloseReason reason);

  struct Goaway {
    std::uint32_t last_stream;
    std::uint32_t code;
  };
  std::vector<Goaway> goaways;
  std::vector<std::string> pings;                  ///< PINGs that are no ACKs
  SettingList settings;                            ///< the server's
  std::map<std::uint32_t, std::uint64_t> windows;  ///< WINDOW_UPDATE increments by stream
  std::size_t settings_acks = 0;
  std::size_t pings_acked = 0;
  std::vector<std::pair<std::uint8_t, std::uint32_t>> order;  ///< type and stream of every frame

  CountingMemory memory;
  ExchangeDriver driver;
  MemorySink sink;
  std::unique_ptr<http::Session> session;
  std::string produced;  ///< every byte the session wrote

 private:
  void make_session(http2::SessionFactory& factory);
  void read_output();
  void read_frame(const Frame& frame);
  void read_headers(const Frame& frame);
  FieldList inflate(std::string_view block);

  std::unique_ptr<http2::SessionFactory> own_factory_;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::string unread_;
  std::string header_block_;
  std::optional<Frame> open_block_;
  std::vector<std::string> ping_acks_;
  std::map<std::uint32_t, H2Response> responses_;
};

}  // namespace h2park::test
