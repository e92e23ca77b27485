#include "server/output_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace h2park::server {
namespace {

/// Takes a given number of bytes, then says that it is full.
class FakeTransport final : public net::Transport {
 public:
  std::size_t room = 0;
  std::string taken;
  int writes = 0;
  bool dead = false;

  int descriptor() const override { return -1; }
  net::IoStatus handshake() override { return net::IoStatus::kOk; }
  net::IoResult read(std::span<std::byte>) override { return {0, net::IoStatus::kWantRead}; }
  net::IoResult write(std::span<const std::byte> bytes) override {
    ++writes;
    if (dead) return {0, net::IoStatus::kError};
    const std::size_t n = std::min(bytes.size(), room);
    if (n == 0) return {0, net::IoStatus::kWantWrite};
    room -= n;
    taken.append(reinterpret_cast<const char*>(bytes.data()), n);
    return {n, net::IoStatus::kOk};
  }
  bool has_pending() const override { return false; }
  void shutdown_write() override {}
  std::string_view alpn() const override { return {}; }
  bool secure() const override { return false; }
  std::string_view error_text() const override { return {}; }
};

struct OutputTest : testing::Test {
  FakeTransport transport;
  OutputQueue queue{std::pmr::get_default_resource()};
  std::vector<std::byte> gather = std::vector<std::byte>(64);

  static std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
};

TEST_F(OutputTest, SmallPiecesLeaveInOneWrite) {
  transport.room = 1000;
  Flush flush(transport, queue, gather);
  flush.write(bytes("head "));
  flush.write(bytes("body "));
  flush.write(bytes("more"));
  EXPECT_EQ(transport.writes, 0);
  EXPECT_TRUE(flush.finish());
  EXPECT_EQ(transport.writes, 1);
  EXPECT_EQ(transport.taken, "head body more");
  EXPECT_TRUE(queue.empty());
}

TEST_F(OutputTest, AFullGatherBufferIsSentAndGoesOn) {
  transport.room = 1000;
  Flush flush(transport, queue, gather);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    flush.write(bytes("0123456789"));
    expected += "0123456789";
  }
  EXPECT_TRUE(flush.finish());
  EXPECT_EQ(transport.taken, expected);
}

TEST_F(OutputTest, ABigPieceIsNotCopied) {
  transport.room = 1000;
  Flush flush(transport, queue, gather);
  flush.write(bytes("head"));
  flush.write(bytes(std::string(200, 'x')));
  EXPECT_EQ(transport.writes, 2) << "the head, then the piece as it is";
  EXPECT_TRUE(flush.finish());
  EXPECT_EQ(transport.taken, "head" + std::string(200, 'x'));
}

TEST_F(OutputTest, WhatTheTransportRefusesIsQueuedInOrderAndBlocksTheSession) {
  for (std::size_t room = 0; room < 300; ++room) {
    FakeTransport narrow;
    narrow.room = room;
    OutputQueue rest{std::pmr::get_default_resource()};
    Flush flush(narrow, rest, gather);
    const std::string big(200, 'x');
    flush.write(bytes("begin "));
    flush.write(bytes(big));
    flush.write(bytes(" end"));
    ASSERT_TRUE(flush.finish());
    const std::size_t all = 6 + 200 + 4;
    ASSERT_EQ(rest.bytes(), room < all ? all - room : 0);
    ASSERT_EQ(flush.blocked(), room < all);
    narrow.room = 1000;
    ASSERT_EQ(rest.send(narrow), OutputQueue::Progress::kAll);
    ASSERT_EQ(narrow.taken, "begin " + big + " end");
  }
}

TEST_F(OutputTest, TheQueueTellsHowFarItCame) {
  queue.append(bytes("0123456789"));
  EXPECT_EQ(queue.send(transport), OutputQueue::Progress::kNone);
  transport.room = 4;
  EXPECT_EQ(queue.send(transport), OutputQueue::Progress::kSome);
  EXPECT_EQ(queue.bytes(), 6U);
  queue.append(bytes("ab"));
  transport.room = 100;
  EXPECT_EQ(queue.send(transport), OutputQueue::Progress::kAll);
  EXPECT_EQ(transport.taken, "0123456789ab");
}

TEST_F(OutputTest, ADeadTransportIsReported) {
  transport.dead = true;
  Flush flush(transport, queue, gather);
  flush.write(bytes("lost"));
  EXPECT_FALSE(flush.finish());
  EXPECT_TRUE(flush.blocked());
  queue.append(bytes("lost too"));
  EXPECT_EQ(queue.send(transport), OutputQueue::Progress::kError);
}

}  // namespace
}  // namespace h2park::server
