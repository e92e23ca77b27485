#include "readout/deadline_socket.hpp"

#include "base/units.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace h2park::readout {
namespace {

std::unexpected<Error> reason(int error_number) {
  return fail(std::generic_category().message(error_number));
}

}  // namespace

Result<DeadlineSocket> DeadlineSocket::connect(const std::vector<net::SocketAddress>& addresses,
                                               Duration timeout, int stop_fd) {
  DeadlineSocket socket(timeout, stop_fd);
  Result<> connected = reason(EADDRNOTAVAIL);
  for (const net::SocketAddress& address : addresses) {
    connected = socket.connect(address);
    if (connected) return socket;
    if (Clock::now() >= socket.deadline_) break;
  }
  return std::unexpected(connected.error());
}

Result<> DeadlineSocket::connect(const net::SocketAddress& address) {
  socket_.reset(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return reason(errno);
  if (::connect(socket_.get(), address.get(), address.size) == 0) return {};
  // EINTR: goes on by itself, as with EINPROGRESS (connect(2)).
  if (errno != EINPROGRESS && errno != EINTR) return reason(errno);
  if (auto ready = wait(POLLOUT); !ready) return ready;
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) return reason(errno);
  return error == 0 ? Result<>{} : reason(error);
}

Result<> DeadlineSocket::wait(short events) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (left <= 0) return fail("no answer within " + format_duration(timeout_));
    constexpr std::int64_t kMinute = 60'000;  // poll() takes an int
    // poll() passes over a descriptor of -1.
    std::array<pollfd, 2> entries{{{.fd = socket_.get(), .events = events, .revents = 0},
                                   {.fd = stop_fd_, .events = POLLIN, .revents = 0}}};
    const int ready =
        ::poll(entries.data(), entries.size(), static_cast<int>(std::min<std::int64_t>(left, kMinute)));
    if (ready > 0 && entries[1].revents != 0) return fail("given up");
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return reason(errno);
  }
}

Result<> DeadlineSocket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (auto ready = wait(POLLOUT); !ready) return ready;
    const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return reason(errno);
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::size_t> DeadlineSocket::receive(std::span<char> room) {
  for (;;) {
    if (auto ready = wait(POLLIN); !ready) return std::unexpected(ready.error());
    const ssize_t n = ::recv(socket_.get(), room.data(), room.size(), 0);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EAGAIN && errno != EINTR) return reason(errno);
  }
}

}  // namespace h2park::readout
