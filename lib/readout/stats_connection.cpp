#include "readout/stats_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

namespace h2park::readout {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

// A browser's head with a large cookie fits; nobody needs more to ask for figures.
constexpr std::uint32_t kMaxHead = 16 * 1024;

/// The status for a head that is not to be understood; nullopt: the pipe failed, there is nobody to answer.
std::optional<http::status> status_of(error_code error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return http::status::request_header_fields_too_large;
  }
  if (error == http::error::bad_version) return http::status::http_version_not_supported;
  if (error.category() == make_error_code(http::error::bad_target).category())
    return http::status::bad_request;
  return std::nullopt;
}

}  // namespace

StatsConnection::StatsConnection(Socket socket, const StatsSite& site, StatsTimeouts timeouts,
                                 std::function<void(StatsConnection&)> on_closed)
    : site_(site),
      timeouts_(timeouts),
      on_closed_(std::move(on_closed)),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      input_(kMaxHead + 1) {}

void StatsConnection::close() {
  if (!socket_.is_open()) return;
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
  live_.reset();
  on_closed_(*this);
}

std::optional<TimePoint> StatsConnection::idle_since() const {
  if (state_ == State::kLingering) return idle_since_;
  error_code error;
  if (state_ != State::kWaiting || socket_.available(error) > 0) return std::nullopt;
  return idle_since_;
}

void StatsConnection::set_deadline(Duration timeout) {
  timer_.expires_after(timeout);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    // A wait that was already due when the deadline moved comes without an error.
    if (!error && self->timer_.expiry() <= Clock::now()) self->close();
  });
}

void StatsConnection::wait_for_request() {
  if (input_.size() > 0) {  // pipelined
    set_deadline(timeouts_.request);
    return read_head();
  }
  state_ = State::kWaiting;
  idle_since_ = Clock::now();
  set_deadline(timeouts_.idle);
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    if (error || !self->socket_.is_open()) return self->close();
    self->set_deadline(self->timeouts_.request);
    self->read_head();
  });
}

void StatsConnection::read_head() {
  state_ = State::kReading;
  parser_.emplace();
  parser_->header_limit(kMaxHead);
  http::async_read_header(
      socket_, input_, *parser_,
      [self = shared_from_this()](error_code error, std::size_t) { self->on_head(error); });
}

void StatsConnection::on_head(error_code error) {
  if (!socket_.is_open()) return;
  if (error) {
    const std::optional<http::status> status = status_of(error);
    return status ? send(StatsSite::refusal(*status, error.message()), false) : close();
  }
  StatsResponse response = site_.answer(parser_->get());
  if (auto following = site_.follow(parser_->get(), response))
    return stream(std::move(*following), std::move(response));
  // Content is of no use to any of the answers, so it is not read: the connection can't go on behind it.
  const bool has_content = !parser_->is_done();
  send(std::move(response), parser_->get().keep_alive() && !has_content);
}

void StatsConnection::send(StatsResponse response, bool keep_alive) {
  state_ = State::kWriting;
  response_ = std::move(response);
  response_.keep_alive(keep_alive);
  if (keep_alive && parser_->get().version() < 11) response_.set(http::field::connection, "keep-alive");
  http::async_write(socket_, response_,
                    [self = shared_from_this()](error_code error, std::size_t) { self->on_sent(error); });
}

void StatsConnection::on_sent(error_code error) {
  if (error || !socket_.is_open()) return close();
  if (response_.keep_alive()) return wait_for_request();
  // RFC 9112 9.6: closing with unread input would reset the connection, and the client might lose the answer.
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) return close();
  state_ = State::kLingering;
  idle_since_ = Clock::now();
  linger();
}

void StatsConnection::linger() {
  socket_.async_read_some(asio::buffer(discarded_),
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (error || !self->socket_.is_open()) return self->close();
                            self->linger();
                          });
}

}  // namespace h2park::readout
