#include "support/scripted_origin.hpp"

#include "net/plain_transport.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace h2park::test {
namespace {

using Ends = std::pair<net::UniqueFd, net::UniqueFd>;

Ends socket_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {net::UniqueFd(ends[0]), net::UniqueFd(ends[1])};
}

Ends loopback_pair() {
  const net::UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), generic, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), generic, &size), 0);
  net::UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(client.get(), generic, size), 0);
  net::UniqueFd server(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  EXPECT_EQ(::fcntl(client.get(), F_SETFL, O_NONBLOCK), 0);
  return {std::move(client), std::move(server)};
}

}  // namespace

OriginConnection::OriginConnection(ScriptedOrigin& origin, net::UniqueFd socket, int number)
    : origin_(origin),
      socket_(std::move(socket)),
      watch_(origin.reactor().watch(socket_.get(), *this)),
      number_(number) {
  watch_->want_read();
}

OriginConnection::~OriginConnection() = default;

void OriginConnection::send(std::string bytes) {
  output_ += bytes;
  flush();
}

void OriginConnection::send_after(Duration delay, std::string bytes) {
  later(delay, [this, bytes = std::move(bytes)] { send(bytes); });
}

void OriginConnection::close() {
  closing_ = true;
  flush();
}

void OriginConnection::close_after(Duration delay) {
  later(delay, [this] { close(); });
}

void OriginConnection::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  shut();
}

void OriginConnection::later(Duration delay, std::function<void()> action) {
  timers_.emplace_back(origin_.reactor().timers(), [this, action = std::move(action)] {
    if (socket_) action();
  });
  timers_.back().set(origin_.reactor().now() + delay);
}

void OriginConnection::shut() {
  watch_.reset();
  socket_.reset();
}

void OriginConnection::flush() {
  while (socket_ && !output_.empty()) {
    const ssize_t sent = ::send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return watch_->want_write();
    if (sent < 0) return shut();
    output_.erase(0, static_cast<std::size_t>(sent));
  }
  if (closing_ && output_.empty()) shut();
}

void OriginConnection::on_writable() { flush(); }

void OriginConnection::on_readable() {
  std::array<char, 16384> room;
  const ssize_t got = reading_ ? ::recv(socket_.get(), room.data(), room.size(), 0) : -1;
  if (!reading_) return;
  if (got == 0 || (got < 0 && errno != EAGAIN)) return shut();
  if (got > 0) received_.append(room.data(), static_cast<std::size_t>(got));
  watch_->want_read();
  for (;;) {
    const auto end = received_.find("\r\n\r\n", scanned_);
    if (end == std::string::npos || !socket_) return;
    const std::string head = received_.substr(scanned_, end + 4 - scanned_);
    scanned_ = end + 4;
    ++requests_;
    origin_.script(*this, head);
  }
}

struct ScriptedOrigin::Dial {
  OnDialled on_dialled;
  client::DialTimes times;
  std::optional<net::Timer> timer;
};

std::shared_ptr<void> ScriptedOrigin::dial(const client::Origin&, OnDialled on_dialled) {
  ++dials_;
  const TimePoint now = reactor_.now();
  auto dial =
      std::make_shared<Dial>(std::move(on_dialled), client::DialTimes{now, now, now, now}, std::nullopt);
  if (hang) return dial;
  Dial& waiting = *dial;
  dial->timer.emplace(reactor_.timers(), [this, &waiting] { connect(waiting); });
  dial->timer->set(now + dial_time);
  return dial;
}

void ScriptedOrigin::connect(Dial& dial) {
  OnDialled tell = std::move(dial.on_dialled);
  if (!failures.empty()) {
    client::Failure failure = std::move(failures.front());
    failures.pop_front();
    return tell(std::unexpected(std::move(failure)));
  }
  Ends ends = tcp ? loopback_pair() : socket_pair();
  connections_.push_back(std::make_unique<OriginConnection>(*this, std::move(ends.second), opened() + 1));
  on_open(*connections_.back());
  client::DialTimes times = dial.times;
  times.connected = times.secured = reactor_.now();
  tell(client::Dialled{.transport = std::make_unique<net::PlainTransport>(std::move(ends.first)),
                       .times = times,
                       .remote = "192.0.2.1:80",
                       .local = "192.0.2.2:50000",
                       .verify_result = 0,
                       .notes = ""});
}

int ScriptedOrigin::open_now() const {
  return static_cast<int>(
      std::ranges::count_if(connections_, [](const auto& each) { return !each->is_closed(); }));
}

int ScriptedOrigin::requests() const {
  return std::accumulate(connections_.begin(), connections_.end(), 0,
                         [](int sum, const auto& each) { return sum + each->requests(); });
}

}  // namespace h2park::test
