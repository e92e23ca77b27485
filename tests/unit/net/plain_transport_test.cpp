#include "net/plain_transport.hpp"

#include "net/listen_socket.hpp"
#include "test_sockets.hpp"

#include <fcntl.h>
#include <netinet/in.h>

#include <string>
#include <vector>

namespace h2park::net {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

struct Pipe {
  UniqueFd peer;
  PlainTransport transport{UniqueFd{}};
  Pipe() {
    auto [ours, theirs] = socket_pair();
    transport = PlainTransport(std::move(ours));
    peer = std::move(theirs);
  }
  IoResult read() { return transport.read(std::as_writable_bytes(std::span(room))); }
  std::array<char, 64> room{};
};

TEST(PlainTransport, ReadsWhatThePeerSentThenWaits) {
  Pipe pipe;
  EXPECT_EQ(pipe.transport.handshake(), IoStatus::kOk);
  EXPECT_EQ(pipe.read().status, IoStatus::kWantRead);
  ASSERT_EQ(::send(pipe.peer.get(), "hello", 5, 0), 5);
  const IoResult result = pipe.read();
  EXPECT_EQ(result.status, IoStatus::kOk);
  EXPECT_EQ(std::string_view(pipe.room.data(), result.bytes), "hello");
  EXPECT_EQ(pipe.read().status, IoStatus::kWantRead);
  EXPECT_FALSE(pipe.transport.has_pending());
}

TEST(PlainTransport, ReportsTheEndAndStillWrites) {
  Pipe pipe;
  ASSERT_EQ(::shutdown(pipe.peer.get(), SHUT_WR), 0);
  EXPECT_EQ(pipe.read().status, IoStatus::kEof);
  EXPECT_EQ(pipe.read().status, IoStatus::kEof);
  EXPECT_EQ(pipe.transport.write(bytes_of("bye")).bytes, 3U);
  char room[8];
  EXPECT_EQ(::recv(pipe.peer.get(), room, sizeof room, 0), 3);
}

TEST(PlainTransport, WritesAPrefixThenWaits) {
  Pipe pipe;
  const int small = 4096;
  ::setsockopt(pipe.transport.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  const std::string text(1 << 20, 'x');
  std::size_t sent = 0;
  IoResult result;
  while ((result = pipe.transport.write(bytes_of(text).subspan(sent))).status == IoStatus::kOk)
    sent += result.bytes;
  EXPECT_EQ(result.status, IoStatus::kWantWrite);
  EXPECT_EQ(result.bytes, 0U);
  EXPECT_GT(sent, 0U);
  EXPECT_LT(sent, text.size());
}

TEST(PlainTransport, EndsItsSideOnly) {
  Pipe pipe;
  pipe.transport.shutdown_write();
  char byte = 0;
  EXPECT_EQ(::recv(pipe.peer.get(), &byte, 1, 0), 0);
  ASSERT_EQ(::send(pipe.peer.get(), "x", 1, 0), 1);
  EXPECT_EQ(pipe.read().bytes, 1U);
}

TEST(PlainTransport, SaysWhyThePipeDiedAndRaisesNoSignal) {
  // In a child, with SIGPIPE as a process has it by default.
  EXPECT_EQ(in_child([] {
              ::signal(SIGPIPE, SIG_DFL);
              Pipe pipe;
              pipe.peer.reset();
              if (pipe.transport.write(bytes_of("x")).status != IoStatus::kError) return 1;
              return pipe.transport.error_text() == "Broken pipe" ? 0 : 2;
            }),
            0);
}

TEST(PlainTransport, TellsAResetFromAnEnd) {
  auto listeners = listen_on({.host = "127.0.0.1", .port = 0}, 1);
  ASSERT_TRUE(listeners);
  UniqueFd client = connect_to(listeners->front().text());
  ASSERT_TRUE(client);
  PlainTransport transport(listeners->front().accept().socket);
  const linger abort{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort), 0);
  client.reset();
  std::array<std::byte, 8> room{};
  EXPECT_EQ(transport.read(room).status, IoStatus::kError);
  EXPECT_EQ(transport.error_text(), "Connection reset by peer");
}

TEST(PlainTransport, HasNoTls) {
  Pipe pipe;
  EXPECT_FALSE(pipe.transport.secure());
  EXPECT_EQ(pipe.transport.alpn(), "");
  EXPECT_EQ(pipe.transport.error_text(), "");
}

TEST(PlainTransport, ClosesItsDescriptor) {
  int fd = -1;
  {
    Pipe pipe;
    fd = pipe.transport.descriptor();
    ASSERT_GE(::fcntl(fd, F_GETFD), 0);
  }
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

}  // namespace
}  // namespace h2park::net
