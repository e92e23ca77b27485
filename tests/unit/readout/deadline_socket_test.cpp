#include "readout/deadline_socket.hpp"

#include "net/listen_socket.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;

/// Lets clients connect and keeps silent: what they send stays in the kernel until `accept()`.
net::ListenSocket silent_server() {
  return std::move(net::listen_on({.host = "127.0.0.1", .port = 0}, 1).value().front());
}

net::SocketAddress address_of(const net::ListenSocket& server) {
  return net::local_address(server.descriptor()).value();
}

TEST(DeadlineSocket, TriesTheNextAddressAfterARefusal) {
  net::ListenSocket gone = silent_server();
  const net::SocketAddress nobody = address_of(gone);
  gone.close();
  net::ListenSocket server = silent_server();
  ASSERT_TRUE(DeadlineSocket::connect({nobody, address_of(server)}, 10s));
  EXPECT_EQ(server.accept().status, net::AcceptStatus::kConnection);
  const auto refused = DeadlineSocket::connect({nobody, nobody}, 10s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "Connection refused");
}

TEST(DeadlineSocket, GivesUpOnAPeerThatTakesNothing) {
  const net::ListenSocket server = silent_server();
  auto socket = DeadlineSocket::connect({address_of(server)}, 50ms);
  ASSERT_TRUE(socket);
  const std::string large(64 * 1024 * 1024, 'x');
  const auto sent = socket->send(large);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().message, "no answer within 50ms");
}

TEST(DeadlineSocket, HasOneDeadlineForEverything) {
  const net::ListenSocket server = silent_server();
  auto socket = DeadlineSocket::connect({address_of(server)}, 30ms);
  ASSERT_TRUE(socket);
  std::array<char, 16> room;
  EXPECT_FALSE(socket->receive(room));
  EXPECT_FALSE(socket->receive(room));
  EXPECT_FALSE(socket->send("x"));
}

TEST(DeadlineSocket, GivesUpAsSoonAsItsStopIsReadable) {
  const net::ListenSocket server = silent_server();
  std::array<int, 2> stop;
  ASSERT_EQ(::pipe2(stop.data(), O_CLOEXEC), 0);
  const net::UniqueFd reader(stop[0]);
  const net::UniqueFd writer(stop[1]);
  auto socket = DeadlineSocket::connect({address_of(server)}, 1h, reader.get());
  ASSERT_TRUE(socket);
  ASSERT_EQ(::write(writer.get(), "x", 1), 1);
  std::array<char, 16> room;
  const auto received = socket->receive(room);
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().message, "given up");
}

TEST(DeadlineSocket, ReceivesBytesAndThenTheEnd) {
  net::ListenSocket server = silent_server();
  auto socket = DeadlineSocket::connect({address_of(server)}, 10s);
  ASSERT_TRUE(socket);
  {
    const net::Accepted peer = server.accept();
    ASSERT_EQ(::write(peer.socket.get(), "hello", 5), 5);
  }
  std::array<char, 16> room;
  EXPECT_EQ(socket->receive(room).value(), 5U);
  EXPECT_EQ(socket->receive(room).value(), 0U);
}

}  // namespace
}  // namespace h2park::readout
