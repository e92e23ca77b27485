// Freezing of connections over TLS, through the whole worker.
#include "support/worker_house.hpp"
#include "tls/slot_routing.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;
using test::WorkerHouse;

// Before main(), as the server does it before its first use of OpenSSL.
const bool kRouted = tls::route_allocations() || (std::abort(), false);

class FrozenTls : public testing::TestWithParam<int> {
 protected:
  tls::TlsClientOptions client() const { return {.version = GetParam(), .alpn = {"h2"}}; }
  void secure() { house.secure(client()); }

  WorkerHouse house{WorkerHouse::freezing_options()};
};
INSTANTIATE_TEST_SUITE_P(Tls, FrozenTls, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(FrozenTls, AnIdleConnectionIsPackedAndAnswersAgain) {
  secure();
  auto peer = house.greeted();
  EXPECT_EQ(house.frozen(), 1U);
  for (int i = 0; i < 3; ++i) {
    const auto stream = peer->get("/hello");
    house.settle(*peer);
    EXPECT_EQ(peer->response(stream).status, "200");
    EXPECT_EQ(house.frozen(), 1U);
  }
  EXPECT_LT(house.worker.counters().frozen_bytes.get(), 3000U);
  peer->close();
  house.settle();
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.slots->quarantined(), 0U);
}

TEST_P(FrozenTls, IsPackedWhileItsClientSaysNothingAfterTheHandshake) {
  secure();
  auto peer = house.connect();
  house.settle();
  EXPECT_EQ(house.frozen(), 1U);
  peer->greet();
  house.settle(*peer);
  const auto stream = peer->get("/hello");
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).status, "200");
}

TEST_P(FrozenTls, AnEventStreamGoesOnAcrossFreezes) {
  secure();
  auto peer = house.greeted();
  const auto stream = peer->get("/events?interval=10s");
  house.settle(*peer);
  const std::uint64_t thaws = house.worker.counters().thaws.get();
  std::size_t bytes = peer->response(stream).body.size();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(house.frozen(), 1U);
    house.advance(10s);
    house.settle(*peer);
    EXPECT_GT(peer->response(stream).body.size(), bytes);
    bytes = peer->response(stream).body.size();
  }
  EXPECT_GE(house.worker.counters().thaws.get(), thaws + 3);
}

TEST_P(FrozenTls, AKeyUpdateAndAGoodbyeFindItFrozen) {
  secure();
  auto peer = house.greeted();
  ASSERT_EQ(house.frozen(), 1U);
  if (GetParam() == TLS1_3_VERSION) SSL_key_update(peer->tls()->ssl(), SSL_KEY_UPDATE_REQUESTED);
  const auto stream = peer->get("/hello");
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).status, "200");
  ASSERT_EQ(house.frozen(), 1U);
  peer->close_notify();
  house.settle();
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.closed(http::CloseReason::kError), 0U);
  EXPECT_EQ(house.slots->quarantined(), 0U);
}

TEST_P(FrozenTls, AFleetLeavesNothingBehind) {
  secure();
  std::vector<std::unique_ptr<test::SocketPeer>> peers;
  for (int i = 0; i < 60; ++i) peers.push_back(house.greeted());
  for (int i = 0; i < 20; ++i) house.advance(1ms);
  EXPECT_EQ(house.frozen(), 60U);
  peers.clear();
  for (int i = 0; i < 20; ++i) house.advance(1ms);
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.slots->taken(), 0U);
  EXPECT_EQ(house.slots->quarantined(), 0U);
}

TEST_P(FrozenTls, ABlockThatOutlivesItsConnectionPutsTheSlotInQuarantine) {
  secure();
  auto peer = house.greeted();
  Ticket& ticket = house.worker.tickets()[house.last_id().index];
  freezer::SlotHeap& slot = *house.worker.freezing().slot_of(ticket);
  peer->get("/hello");
  house.settle();
  // As something of the library's that belongs to the thread would be.
  ASSERT_TRUE(house.worker.freezing().thaw(ticket));
  void* left = slot.obtain(64);
  ASSERT_TRUE(slot.contains(left));
  peer->close();
  house.settle();
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.worker.counters().quarantined_slots.get(), 1U);
  EXPECT_EQ(slot.live_blocks(), 1U) << "not discarded";
  auto next = house.greeted();
  EXPECT_NE(house.worker.freezing().slot_of(house.worker.tickets()[house.last_id().index]), &slot);
  slot.release(left);
}

TEST_P(FrozenTls, AnImageOfPlainTextHasTheDictionaryOfItsOwn) {
  auto plain = house.greeted();
  const std::uint64_t alone = house.worker.counters().frozen_bytes.get();
  plain->close();
  house.settle();
  secure();
  ASSERT_EQ(house.worker.counters().frozen_bytes.get(), 0U);
  auto peer = house.greeted();
  EXPECT_GT(house.worker.counters().frozen_bytes.get(), alone);
}

}  // namespace
}  // namespace h2park::server
