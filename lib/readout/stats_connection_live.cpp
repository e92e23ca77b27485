// The events of /live on a connection.
//
// 1. Head and first event go out at once.
// 2. An event is made when it is due and the one before is written: a slow client gets fewer of them, not
//    more of the past. One that takes none within the time for a request is dropped.
// 3. The client has nothing more to say: when it sends something, or closes, that is the end.
#include "readout/stats_connection.hpp"

#include <algorithm>
#include <sstream>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/write.hpp>

namespace h2park::readout {
namespace {

// A minute or so of a large server's events. What the kernel keeps for a client that has stopped reading is
// of no use to anybody.
constexpr int kSendBuffer = 256 * 1024;

}  // namespace

void StatsConnection::stream(StatsSite::Following following, StatsResponse head) {
  state_ = State::kStreaming;
  live_ = std::move(following);
  boost::system::error_code ignored;
  socket_.set_option(boost::asio::socket_base::send_buffer_size(kSendBuffer), ignored);
  head.keep_alive(false);
  std::ostringstream text;
  text << head.base();
  next_event_ = Clock::now();
  watch_for_end();
  send_event(std::move(text).str());
}

void StatsConnection::watch_for_end() {
  socket_.async_read_some(
      boost::asio::buffer(discarded_),
      [self = shared_from_this()](boost::system::error_code, std::size_t) { self->close(); });
}

void StatsConnection::send_event(std::string head) {
  const auto event = live_->stream->next_event();
  if (!event) return close();
  next_event_ = std::max(next_event_ + live_->every, Clock::now());
  event_ = std::move(head) + *event;
  set_deadline(timeouts_.request);
  boost::asio::async_write(socket_, boost::asio::buffer(event_),
                           [self = shared_from_this()](boost::system::error_code error, std::size_t) {
                             self->on_event_sent(error);
                           });
}

void StatsConnection::on_event_sent(boost::system::error_code error) {
  if (error || !socket_.is_open()) return close();
  wait_for_event();
}

void StatsConnection::wait_for_event() {
  timer_.expires_at(next_event_);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error && self->socket_.is_open()) self->send_event({});
  });
}

}  // namespace h2park::readout
