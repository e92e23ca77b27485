// The slices in which a worker measures its connections' memory.
#include "server/memory_sample.hpp"

#include "support/worker_house.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <vector>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;
using test::SocketPeer;
using test::WorkerHouse;

/// Steps to the end of a sample; how many it took.
int sample(WorkerHouse& house) {
  int steps = 1;
  while (!house.worker.sample_memory()) ++steps;
  return steps;
}

std::uint64_t queued(WorkerHouse& house) { return house.worker.counters().socket_kernel_bytes.get(); }

Task<> sleep_for_an_hour(http::Request&, http::Responder& responder) { co_await responder.sleep(1h); }

Ticket& last_ticket(WorkerHouse& house) { return house.worker.tickets()[house.last_id().index]; }

TEST(MemorySample, ShowsWhatAClientDoesNotRead) {
  WorkerHouse house;
  const auto peer = house.greeted(1 << 20, false);
  peer->open_connection_window();
  peer->get("/bytes/64KiB");
  peer->exchange();
  house.settle();
  sample(house);
  EXPECT_GT(queued(house), 64U * 1024);
  peer->close();
  house.settle();
  sample(house);
  EXPECT_EQ(queued(house), 0U);
}

enum class Rest : std::uint8_t { kActive, kParked, kFrozen };

Options options_of(Rest rest) {
  return rest == Rest::kFrozen ? WorkerHouse::freezing_options()
                               : WorkerHouse::default_options(rest == Rest::kParked);
}

std::string name_of(Rest rest) {
  return rest == Rest::kActive ? "Active" : rest == Rest::kParked ? "Parked" : "Frozen";
}

struct RestingSample : testing::TestWithParam<Rest> {
  WorkerHouse house{options_of(GetParam())};
};

TEST_P(RestingSample, WhoseBuffersWereEmptyIsNotAskedAgain) {
  const auto peer = house.greeted();
  EXPECT_FALSE(last_ticket(house).quiet);
  sample(house);
  EXPECT_TRUE(last_ticket(house).quiet);
  EXPECT_EQ(queued(house), 0U);
  peer->ping();
  peer->exchange();
  house.settle();
  EXPECT_FALSE(last_ticket(house).quiet) << "it was woken, and has sent something";
  sample(house);
  EXPECT_GT(queued(house), 0U) << "a PING's answer that the client has not read";
  EXPECT_FALSE(last_ticket(house).quiet) << "while it lies there";
  peer->exchange();
  sample(house);
  EXPECT_EQ(queued(house), 0U);
  EXPECT_TRUE(last_ticket(house).quiet);
}

INSTANTIATE_TEST_SUITE_P(, RestingSample, testing::Values(Rest::kActive, Rest::kParked, Rest::kFrozen),
                         [](const auto& run) { return name_of(run.param); });

struct UnheardSample : testing::TestWithParam<Rest> {
  WorkerHouse house{options_of(GetParam()), &sleep_for_an_hour, [] {}};
};

// The body that its handler does not read fills first our queue, and then the kernel's, while it rests.
TEST_P(UnheardSample, WhoIsNotListenedToIsAskedEachTime) {
  const auto peer = house.connect();
  ASSERT_TRUE(peer->write_raw("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"));
  house.settle();
  sample(house);
  EXPECT_FALSE(last_ticket(house).quiet);
  while (peer->write_raw(std::string(4096, 'x'))) house.settle();
  sample(house);
  EXPECT_FALSE(last_ticket(house).quiet);
}

INSTANTIATE_TEST_SUITE_P(, UnheardSample, testing::Values(Rest::kActive, Rest::kParked, Rest::kFrozen),
                         [](const auto& run) { return name_of(run.param); });

TEST(MemorySample, TakesSlicesSoThatNobodyWaits) {
  WorkerHouse house(WorkerHouse::default_options(false));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 2 * MemorySample::kMostSockets + 1; ++i) peers.push_back(house.connect());
  house.settle();
  EXPECT_EQ(sample(house), 3);
  for (auto& peer : peers) peer->write_raw("PRI");  // wakes it
  house.settle();
  EXPECT_EQ(sample(house), 3) << "and begins anew";
}

TEST(MemorySample, PassesOverThoseWhoRestInOneSlice) {
  WorkerHouse house;
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 2 * MemorySample::kMostSockets + 1; ++i) peers.push_back(house.connect());
  house.settle();
  EXPECT_EQ(sample(house), 3);
  EXPECT_EQ(sample(house), 1);
}

TEST(MemorySample, GoesOnWhereConnectionsHaveComeAndGone) {
  WorkerHouse house(WorkerHouse::default_options(false));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < MemorySample::kMostSockets + 1; ++i) peers.push_back(house.connect());
  house.settle();
  EXPECT_FALSE(house.worker.sample_memory());
  peers.clear();
  house.settle();
  EXPECT_TRUE(house.worker.sample_memory());
  EXPECT_EQ(sample(house), 1);
  EXPECT_EQ(queued(house), 0U);
}

TEST(MemorySample, CountsPagesOfSlotsThatAreResident) {
  WorkerHouse house(WorkerHouse::freezing_options());
  const auto peer = house.greeted();
  sample(house);
  EXPECT_EQ(house.worker.counters().slot_bytes.get(), 0U) << "frozen";
  house.options.parking.freeze_after = 1h;
  peer->ping();
  house.settle(*peer);
  ASSERT_EQ(house.frozen(), 0U);
  sample(house);
  EXPECT_GE(house.worker.counters().slot_bytes.get(), 4096U);
  EXPECT_EQ(house.worker.counters().slot_bytes.get(), house.worker.counters().dormant_slot_bytes.get());
}

TEST(MemorySample, BlocksThatFindNoRoomInTheirSlotAreCounted) {
  WorkerHouse house(WorkerHouse::freezing_options(), &sleep_for_an_hour, [] {});
  const auto before = freezer::SlotHeap::overflowed_blocks();
  const auto peer = house.greeted();
  const auto upload = peer->post("/");
  house.settle(*peer);
  EXPECT_EQ(freezer::SlotHeap::overflowed_blocks(), before);
  peer->send_body(upload, std::string(60'000, 'x'));  // nobody reads it, and it is more than a slot
  house.settle(*peer);
  EXPECT_GT(freezer::SlotHeap::overflowed_blocks(), before);
}

}  // namespace
}  // namespace h2park::server
