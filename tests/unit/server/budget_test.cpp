// At most 256 KiB of answers wait in a connection, and those who wait for room get it in turn.
#include "server/worker.hpp"
#include "support/worker_house.hpp"

#include <gtest/gtest.h>

namespace h2park::server {
namespace {

using test::SocketPeer;
using test::WorkerHouse;

/// Answers with a body that a handler writes: "/N" is N bytes; "/head/N" has a field of N bytes.
Task<> answer(http::Request& request, http::Responder& responder) {
  const std::string path(request.path());
  if (path.starts_with("/head/")) {
    responder.fields().add("x-big", std::string(std::stoul(path.substr(6)), 'x'));
    co_await responder.send("text/plain", "");
  } else {
    const std::string body(std::stoul(path.substr(1)), 'x');
    co_await responder.send("text/plain", body);
  }
}

struct Budget : testing::Test {
  WorkerHouse house{WorkerHouse::default_options(), answer, [] {}};

  std::uint64_t buffered() { return house.worker.counters().buffer_bytes.get(); }
  /// A client whose streams have windows of that size, and whose connection has no limit to speak of.
  std::unique_ptr<SocketPeer> with_window(std::uint32_t stream) {
    auto peer = house.greeted(stream);
    peer->open_connection_window();
    house.settle(*peer);
    return peer;
  }
};

TEST_F(Budget, OfOneConnectionBoundsWhatItsHandlersQueue) {
  auto peer = with_window(0);
  for (int i = 0; i < 40; ++i) peer->get("/100000");
  house.settle(*peer);
  EXPECT_GE(buffered(), http::OutputBudget::kLimit * 9 / 10);
  EXPECT_LE(buffered(), http::OutputBudget::kLimit + 16 * 1024);
}

TEST_F(Budget, RoomGoesToWhoWaitsWithoutAnotherEvent) {
  auto peer = house.greeted(0, false);
  peer->open_connection_window();
  house.settle(*peer);
  std::vector<std::int32_t> holders;
  for (int i = 0; i < 16; ++i) holders.push_back(peer->get("/100000"));
  house.settle(*peer);
  // Room for a head and a little more, so that one more handler starts, and waits.
  peer->open_window(holders[0], 2'000);
  house.settle(*peer);
  const auto waiting = peer->get("/100000");
  house.settle(*peer);
  peer->open_window(waiting, 100'000);
  house.settle(*peer);
  const std::size_t before = peer->response(waiting).body.size();
  // The only event: a window of another stream opens, by less than that stream still wants to write.
  peer->open_window(holders[1], 9'000);
  house.settle(*peer);
  EXPECT_EQ(peer->response(holders[1]).body.size(), 9'000U);
  EXPECT_GT(peer->response(waiting).body.size(), before);
}

TEST_F(Budget, IsHandedOnInTurn) {
  auto peer = with_window(1 << 30);
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 60; ++i) streams.push_back(peer->get("/1000000"));
  // A reader that takes a socket's buffer at a time.
  for (int round = 0; round < 3000; ++round) {
    house.settle();
    peer->exchange();
    std::size_t started = 0;
    for (const auto stream : streams) started += peer->response(stream).body.empty() ? 0 : 1;
    if (started == streams.size()) break;
  }
  std::size_t most = 0;
  for (const auto stream : streams) {
    EXPECT_GT(peer->response(stream).body.size(), 0U) << stream;
    most = std::max(most, peer->response(stream).body.size());
  }
  EXPECT_LT(most, 500'000U) << "one stream had half of its body before another had begun";
}

TEST_F(Budget, CountsHeadsToo) {
  auto peer = house.greeted(1 << 30);
  for (int i = 0; i < 200; ++i) peer->get("/head/60000");
  // The client reads nothing: the socket is full soon.
  for (int i = 0; i < 10; ++i) house.settle();
  EXPECT_LE(buffered(), 2 * http::OutputBudget::kLimit + 60'000);
  for (int i = 0; i < 400; ++i) house.settle(*peer);
  EXPECT_EQ(house.worker.counters().by_status[2].get(), 200U) << "all of them were answered at last";
}

}  // namespace
}  // namespace h2park::server
