// StatsConnection: one client of the stats endpoint.
//
//            first byte                head read               answer written
//   waiting ------------> reading ------------------> writing ---------------+--> waiting (keep-alive)
//      |                     |                           |                   +--> lingering, then closed
//      +---------------------+------- deadline, error ---+------------------------> closed
//                            |                                                         |
//                            +--> streaming (/live), until either side ends it --------+
//
// One timer: `idle` while waiting; `request` from a request's first byte to its answer's last, and for each
// event of a stream; between two events, the next one.
#pragma once

#include "base/clock.hpp"
#include "readout/stats_site.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>

namespace h2park::readout {

struct StatsTimeouts {
  Duration idle;
  Duration request;
};

/// Lifetime: kept alive by what it waits for; `site` outlives it. Thread: the endpoint's.
class StatsConnection final : public std::enable_shared_from_this<StatsConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  StatsConnection(Socket socket, const StatsSite& site, StatsTimeouts timeouts,
                  std::function<void(StatsConnection&)> on_closed);

  void start() { wait_for_request(); }
  /// Idempotent. Calls `on_closed` the first time, when the socket is closed.
  void close();
  /// Since when there is nothing to do for it but to wait for its client; nullopt if a request is being read
  /// or answered, or its bytes wait in the socket.
  std::optional<TimePoint> idle_since() const;

 private:
  enum class State : std::uint8_t { kWaiting, kReading, kWriting, kLingering, kStreaming };

  void set_deadline(Duration timeout);
  void wait_for_request();
  void read_head();
  void on_head(boost::system::error_code error);
  void send(StatsResponse response, bool keep_alive);
  void on_sent(boost::system::error_code error);
  void linger();

  // stats_connection_live.cpp
  void stream(StatsSite::Following following, StatsResponse head);
  void watch_for_end();
  void send_event(std::string head);
  void on_event_sent(boost::system::error_code error);
  void wait_for_event();

  // constant after construction
  const StatsSite& site_;
  const StatsTimeouts timeouts_;
  std::function<void(StatsConnection&)> on_closed_;

  Socket socket_;
  boost::asio::steady_timer timer_;
  State state_ = State::kWaiting;
  TimePoint idle_since_;  // while waiting or lingering
  boost::beast::flat_buffer input_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  StatsResponse response_;
  std::optional<StatsSite::Following> live_;  // while streaming
  TimePoint next_event_;
  std::string event_;
  std::array<char, 4096> discarded_;
};

}  // namespace h2park::readout
