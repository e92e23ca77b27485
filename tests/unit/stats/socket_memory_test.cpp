#include "stats/socket_memory.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace h2park::stats {
namespace {

class Pair {
 public:
  ~Pair() {
    for (const int fd : fds_) ::close(fd);
  }
  int ours() const { return fds_[0]; }
  int theirs() const { return fds_[1]; }

  static Pair over_unix() {
    Pair pair;
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.fds_.data()), 0);
    return pair;
  }
  static Pair over_tcp() {
    Pair pair;
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof(address);
    EXPECT_EQ(::bind(listener, any, length), 0);
    EXPECT_EQ(::listen(listener, 1), 0);
    EXPECT_EQ(::getsockname(listener, any, &length), 0);
    pair.fds_[0] = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(pair.fds_[0], any, length), 0);
    pair.fds_[1] = ::accept(listener, nullptr, nullptr);
    ::close(listener);
    return pair;
  }

 private:
  Pair() = default;
  std::array<int, 2> fds_{-1, -1};
};

std::size_t fill(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  const std::vector<char> bytes(64 * 1024);
  std::size_t total = 0;
  for (;;) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return total;
    total += static_cast<std::size_t>(n);
  }
}

void drain(int fd, std::size_t total) {
  std::vector<char> bytes(64 * 1024);
  while (total > 0) {
    const ssize_t n = ::recv(fd, bytes.data(), std::min(bytes.size(), total), 0);
    ASSERT_GT(n, 0);
    total -= static_cast<std::size_t>(n);
  }
}

TEST(SocketMemory, CountsWhatBothEndsOfATcpConnectionHold) {
  const Pair pair = Pair::over_tcp();
  EXPECT_EQ(socket_queued_bytes(pair.ours()), 0U);
  const std::size_t sent = fill(pair.ours());
  ASSERT_GT(sent, 0U);
  // What we sent is in our send buffer or in their receive buffer; both are full.
  const std::uint64_t ours = socket_queued_bytes(pair.ours()).value();
  const std::uint64_t theirs = socket_queued_bytes(pair.theirs()).value();
  EXPECT_GT(ours, 0U);
  EXPECT_GT(theirs, 0U);
  EXPECT_GE(ours + theirs, sent);
}

TEST(SocketMemory, IsZeroAgainOnceTheReceiverHasReadEverything) {
  const Pair pair = Pair::over_tcp();
  drain(pair.theirs(), fill(pair.ours()));
  EXPECT_EQ(socket_queued_bytes(pair.theirs()), 0U);
}

TEST(SocketMemory, CountsAUnixSocketsUnreadBytesAtTheSender) {
  const Pair pair = Pair::over_unix();
  EXPECT_EQ(socket_queued_bytes(pair.ours()), 0U);
  const std::size_t sent = fill(pair.ours());
  EXPECT_GE(socket_queued_bytes(pair.ours()).value(), sent);
  drain(pair.theirs(), sent);
  EXPECT_EQ(socket_queued_bytes(pair.ours()), 0U);
}

TEST(SocketMemory, IsUnknownForWhatIsNoSocket) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  EXPECT_EQ(socket_queued_bytes(pipe[0]), std::nullopt);
  ::close(pipe[0]);
  ::close(pipe[1]);
  EXPECT_EQ(socket_queued_bytes(-1), std::nullopt);
}

TEST(SocketMemory, CanBeMeasuredHereIfOneSocketCan) {
  const Pair pair = Pair::over_unix();
  EXPECT_EQ(can_measure_sockets(), socket_queued_bytes(pair.ours()).has_value());
}

}  // namespace
}  // namespace h2park::stats
