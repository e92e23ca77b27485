#include "server/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace h2park::server {
namespace {

/// Tickets only store the pointer.
Connection& nobody() {
  static char place[64];
  return *reinterpret_cast<Connection*>(place);
}

struct GateTest : testing::Test {
  GateTest() { gate.bind(); }
  std::vector<std::pair<ConnectionId, std::uint32_t>> deliver() {
    std::vector<std::pair<ConnectionId, std::uint32_t>> woken;
    gate.deliver([&](ConnectionId id, WakeSet reasons) { woken.emplace_back(id, reasons.bits()); });
    return woken;
  }

  Tickets tickets{1000};
  std::atomic<int> rings{0};
  Gate gate{tickets, [this] { rings.fetch_add(1); }};
};

TEST_F(GateTest, DeliversSeveralReasonsInOneWake) {
  const ConnectionId id = tickets.take(nobody());
  EXPECT_TRUE(gate.send(id, WakeReason::kReadable));
  EXPECT_TRUE(gate.send(id, WakeReason::kTimer));
  const auto woken = deliver();
  ASSERT_EQ(woken.size(), 1U);
  WakeSet expected = WakeReason::kReadable;
  expected |= WakeReason::kTimer;
  EXPECT_EQ(woken[0].second, expected.bits());
  EXPECT_TRUE(deliver().empty());
}

TEST_F(GateTest, ShowsASendUntilItIsDelivered) {
  const ConnectionId id = tickets.take(nobody());
  EXPECT_TRUE(gate.registered(id).empty());
  gate.send(id, WakeReason::kHandler);
  EXPECT_TRUE(gate.registered(id).has(WakeReason::kHandler));
  deliver();
  EXPECT_TRUE(gate.registered(id).empty());
}

TEST_F(GateTest, RefusesAnIdWhoseGenerationHasPassed) {
  const ConnectionId old = tickets.take(nobody());
  gate.send(old, WakeReason::kTimer);
  tickets.give_back(old);
  const ConnectionId fresh = tickets.take(nobody());
  ASSERT_EQ(fresh.index, old.index);
  EXPECT_FALSE(gate.send(old, WakeReason::kReadable));
  EXPECT_TRUE(deliver().empty()) << "a wake-up of the old connection reached the new one";
  EXPECT_TRUE(gate.send(fresh, WakeReason::kReadable));
  EXPECT_EQ(deliver().size(), 1U);
}

TEST_F(GateTest, RefusesAnIdThatNeverWas) {
  EXPECT_FALSE(gate.send({700, 0}, WakeReason::kReadable));
  EXPECT_FALSE(gate.send({5'000'000, 0}, WakeReason::kReadable));
}

TEST_F(GateTest, RingsOnceForABurstFromAnotherThread) {
  const ConnectionId a = tickets.take(nobody());
  const ConnectionId b = tickets.take(nobody());
  std::thread([&] {
    gate.send(a, WakeReason::kHandler);
    gate.send(b, WakeReason::kHandler);
    gate.send(a, WakeReason::kBody);
  }).join();
  EXPECT_EQ(rings.load(), 1);
  EXPECT_EQ(deliver().size(), 2U);
  std::thread([&] { gate.send(a, WakeReason::kHandler); }).join();
  EXPECT_EQ(rings.load(), 2);
}

TEST_F(GateTest, DoesNotRingForItsOwnThread) {
  gate.send(tickets.take(nobody()), WakeReason::kHandler);
  EXPECT_EQ(rings.load(), 0);
  EXPECT_TRUE(gate.has_local());
}

TEST_F(GateTest, LeavesWhatAWakeSendsForTheNextDelivery) {
  const ConnectionId id = tickets.take(nobody());
  gate.send(id, WakeReason::kReadable);
  int wakes = 0;
  gate.deliver([&](ConnectionId woken, WakeSet) {
    ++wakes;
    gate.send(woken, WakeReason::kReadable);
  });
  EXPECT_EQ(wakes, 1);
  EXPECT_TRUE(gate.has_local());
}

TEST(Tickets, KeepTheirAddressWhileTheTableGrows) {
  Tickets tickets(5000);
  const ConnectionId first = tickets.take(nobody());
  Ticket* place = &tickets[first.index];
  for (int i = 0; i < 4000; ++i) tickets.take(nobody());
  EXPECT_EQ(&tickets[first.index], place);
  EXPECT_EQ(tickets.size(), 4001U);
}

TEST(Tickets, AreReusedLastInFirstOut) {
  Tickets tickets(10);
  tickets.take(nobody());
  const ConnectionId b = tickets.take(nobody());
  tickets.give_back(b);
  EXPECT_EQ(tickets.find(b), nullptr);
  const ConnectionId c = tickets.take(nobody());
  EXPECT_EQ(c.index, b.index);
  EXPECT_EQ(c.generation, b.generation + 1);
}

}  // namespace
}  // namespace h2park::server
