#include "stats/tcp_memory.hpp"

#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>

namespace h2park::stats {
namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& bytes, const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), first, first + size);
  bytes.resize((bytes.size() + 3) / 4 * 4);
}

Bytes message(std::uint16_t type, const Bytes& body) {
  const nlmsghdr head{.nlmsg_len = static_cast<std::uint32_t>(sizeof(nlmsghdr) + body.size()),
                      .nlmsg_type = type};
  Bytes bytes;
  append(bytes, &head, sizeof head);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Bytes socket_message(std::uint32_t inode, std::uint32_t received, std::uint32_t written,
                     std::uint32_t reserved) {
  Bytes body;
  inet_diag_msg head{};
  head.idiag_inode = inode;
  append(body, &head, sizeof head);
  const nlattr other{.nla_len = sizeof(nlattr) + 1, .nla_type = INET_DIAG_SHUTDOWN};
  append(body, &other, sizeof other);
  body.resize(body.size() + 4);
  std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
  info[SK_MEMINFO_RMEM_ALLOC] = received;
  info[SK_MEMINFO_WMEM_QUEUED] = written;
  info[SK_MEMINFO_WMEM_ALLOC] = written;
  info[SK_MEMINFO_FWD_ALLOC] = reserved;
  info[SK_MEMINFO_RCVBUF] = 1'000'000;  // a limit, not a use
  const nlattr memory{.nla_len = sizeof(nlattr) + sizeof info, .nla_type = INET_DIAG_SKMEMINFO};
  append(body, &memory, sizeof memory);
  append(body, info.data(), sizeof info);
  return message(SOCK_DIAG_BY_FAMILY, body);
}

struct Parsed {
  Result<bool> done = false;
  std::vector<TcpSocketMemory> sockets;
};

Parsed parse(std::span<const std::byte> bytes) {
  Parsed parsed;
  parsed.done =
      parse_tcp_sockets(bytes, [&](const TcpSocketMemory& socket) { parsed.sockets.push_back(socket); });
  return parsed;
}

TEST(TcpMemory, IsReadFromEveryMessageOfADatagram) {
  Bytes bytes = socket_message(77, 100, 200, 4096);
  const Bytes second = socket_message(78, 0, 0, 0);
  bytes.insert(bytes.end(), second.begin(), second.end());
  const Parsed parsed = parse(bytes);
  ASSERT_TRUE(parsed.done);
  EXPECT_FALSE(*parsed.done);
  ASSERT_EQ(parsed.sockets.size(), 2U);
  EXPECT_EQ(parsed.sockets[0].inode, 77U);
  EXPECT_EQ(parsed.sockets[0].queued, 300U);
  EXPECT_EQ(parsed.sockets[0].reserved, 4096U);
  EXPECT_EQ(parsed.sockets[1].inode, 78U);
}

TEST(TcpMemory, LeavesOutSocketsThatNobodyHolds) {
  EXPECT_TRUE(parse(socket_message(0, 1, 1, 1)).sockets.empty());
}

TEST(TcpMemory, EndsWithTheKernelsLastMessage) {
  const Parsed parsed = parse(message(NLMSG_DONE, Bytes(4)));
  ASSERT_TRUE(parsed.done);
  EXPECT_TRUE(*parsed.done);
}

TEST(TcpMemory, SaysWhatTheKernelRefuses) {
  nlmsgerr error{};
  error.error = -EPERM;
  Bytes body;
  append(body, &error, sizeof error);
  const Parsed parsed = parse(message(NLMSG_ERROR, body));
  ASSERT_FALSE(parsed.done);
  EXPECT_EQ(parsed.done.error().message, "sock_diag: Operation not permitted");
}

TEST(TcpMemory, SurvivesACutAtEveryByte) {
  const Bytes whole = socket_message(77, 100, 200, 4096);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const Parsed parsed = parse(cut);
    EXPECT_TRUE(parsed.sockets.empty()) << length;
    EXPECT_EQ(parsed.done.has_value(), length < sizeof(nlmsghdr)) << length;
  }
}

TEST(TcpMemory, SurvivesAttributesThatLieAboutTheirLength) {
  Bytes whole = socket_message(77, 100, 200, 4096);
  const std::size_t attribute = sizeof(nlmsghdr) + NLMSG_ALIGN(sizeof(inet_diag_msg));
  for (const std::uint16_t length : {std::uint16_t{0}, std::uint16_t{3}, std::uint16_t{0xffff}}) {
    std::memcpy(whole.data() + attribute, &length, sizeof length);
    const Parsed parsed = parse(whole);
    ASSERT_EQ(parsed.sockets.size(), 1U) << length;
    EXPECT_EQ(parsed.sockets[0].queued, 0U) << length;
  }
}

std::uint64_t inode_of(int fd) {
  struct stat status {};
  EXPECT_EQ(::fstat(fd, &status), 0);
  return status.st_ino;
}

TEST(TcpMemory, ShowsWhatARealSocketHasNotRead) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, any, length), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, any, &length), 0);
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(client, any, length), 0);
  const int server = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ASSERT_GE(server, 0);
  const std::vector<char> bytes(20'000);
  ASSERT_EQ(::send(client, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));

  std::map<std::uint64_t, TcpSocketMemory> found;
  const auto read = for_each_tcp_socket([&](const TcpSocketMemory& socket) { found[socket.inode] = socket; });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(found.contains(inode_of(listener)));
  EXPECT_TRUE(found.contains(inode_of(client)));
  ASSERT_TRUE(found.contains(inode_of(server)));
  EXPECT_GE(found[inode_of(server)].queued + found[inode_of(client)].queued, bytes.size());
  for (const int fd : {server, client, listener}) ::close(fd);
}

}  // namespace
}  // namespace h2park::stats
