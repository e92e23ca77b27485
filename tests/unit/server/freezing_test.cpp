// When connections are frozen, and when not. That waking works at this depth too is parking_test's matter.
#include "server/freezing.hpp"

#include "support/worker_house.hpp"

#include <gtest/gtest.h>

#include <thread>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace h2park::server {
namespace {

using namespace std::chrono_literals;
using test::SocketPeer;
using test::WorkerHouse;

Options after(Duration delay) {
  Options options = WorkerHouse::default_options();
  options.parking.freeze_after = delay;
  return options;
}

TEST(Freezing, ComesAfterTheDelayAndNotBefore) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  house.advance(999ms);
  EXPECT_EQ(house.frozen(), 0U);
  EXPECT_EQ(house.worker.next_deadline(), house.time.now() + 1ms) << "the thread wakes for it";
  house.advance(1ms);
  EXPECT_EQ(house.frozen(), 1U);
  EXPECT_EQ(house.worker.counters().parked.get(), 0U) << "frozen is not counted as parked";
  EXPECT_GT(house.worker.counters().frozen_bytes.get(), 0U);
}

TEST(Freezing, AWakeMeanwhileStartsTheDelayAnew) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  house.advance(900ms);
  peer->ping();
  house.settle(*peer);
  house.advance(900ms);
  EXPECT_EQ(house.frozen(), 0U);
  house.advance(100ms);
  EXPECT_EQ(house.frozen(), 1U);
}

TEST(Freezing, ADelayOfMonthsIsNotTakenForNone) {
  for (const Duration delay : {Duration(590h), Duration(600h), Duration(1200h), Duration(24h * 365)}) {
    WorkerHouse house(after(delay));
    auto peer = house.greeted();
    for (int i = 0; i < 20; ++i) house.advance(1s);
    EXPECT_EQ(house.frozen(), 0U);
  }
}

TEST(Freezing, NeverHappensWhereItIsNotWanted) {
  WorkerHouse house;
  auto peer = house.greeted();
  house.advance(1min);
  EXPECT_EQ(house.frozen(), 0U);
  EXPECT_EQ(house.parked(), 1U);
}

TEST(Freezing, APeerThatPokesAfterEachFreezeIsFrozenLessAndLess) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  for (int i = 0; i < 600; ++i) {
    house.advance(1100ms);
    peer->ping();
    house.settle(*peer);
  }
  EXPECT_LE(house.worker.counters().freezes.get(), 2U) << "its delay is 2 s now: it is never frozen";
}

TEST(Freezing, TheDelayIsDoubledUpToAMinute) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  // A peer that always pokes right after the freeze.
  std::uint64_t frozen = 0;
  Duration waited{};
  for (int i = 0; i < 12; ++i) {
    waited = 0s;
    while (house.worker.counters().freezes.get() == frozen) {
      house.advance(100ms);
      waited += 100ms;
      ASSERT_LE(waited, 61s);
    }
    frozen = house.worker.counters().freezes.get();
    const auto stream = peer->get("/hello");
    house.settle(*peer);
    ASSERT_EQ(peer->response(stream).status, "200");
  }
  EXPECT_EQ(waited, 60s);
}

TEST(Freezing, APeerThatPokesSoonAfterEachFreezeWaitsTwiceAsLongForTheNextOne) {
  // Each poke comes a tenth of a second after the freeze, whenever that is.
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  std::vector<Duration> delays;
  for (int i = 0; i < 9; ++i) {
    Duration waited{};
    for (; house.frozen() == 0 && waited <= 61s; waited += 100ms) house.advance(100ms);
    delays.push_back(waited);
    house.advance(100ms);
    const auto stream = peer->get("/hello");
    house.settle(*peer);
    ASSERT_EQ(peer->response(stream).status, "200");
    ASSERT_EQ(house.frozen(), 0U);
  }
  const std::vector<Duration> doubled{1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s};
  EXPECT_EQ(delays, doubled);
}

TEST(Freezing, ManyPeersThatPokeEvery1100MillisecondsAreSoonLeftAlone) {
  WorkerHouse house(after(1s));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 50; ++i) peers.push_back(house.greeted());
  for (int round = 0; round < 60; ++round) {
    for (int step = 0; step < 11; ++step) house.advance(100ms);
    for (auto& peer : peers) peer->ping();
    for (auto& peer : peers) house.settle(*peer);
  }
  EXPECT_LE(house.worker.counters().freezes.get(), 2 * peers.size());
  EXPECT_EQ(house.parked(), peers.size());
}

TEST(Freezing, ADeadlineComesInTimeWithoutAThawBefore) {
  Options options = after(1s);
  options.session.idle_timeout = 90s;
  WorkerHouse house(options);
  auto peer = house.greeted();
  for (int i = 0; i < 89; ++i) house.advance(1s);
  EXPECT_EQ(house.frozen(), 1U);
  EXPECT_EQ(house.worker.counters().thaws.get(), 0U) << "a deadline is known without the connection";
  house.advance(1s);
  EXPECT_EQ(house.worker.counters().thaws.get(), 1U);
  EXPECT_EQ(house.wakes(WakeReason::kTimer), 1U);
}

TEST(Freezing, AnEventLeavesItsConnectionFrozenAndNeighboursHaveTheirTurnBetween) {
  WorkerHouse house(after(1s));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 100; ++i) {
    peers.push_back(house.greeted());
    streams.push_back(peers.back()->get("/events?interval=30s"));
    house.settle(*peers.back());
  }
  for (int i = 0; i < 29; ++i) house.advance(1s);
  for (int i = 0; i < 30; ++i) house.advance(1ms);
  ASSERT_EQ(house.frozen(), 100U);
  const std::uint64_t freezes = house.worker.counters().freezes.get();
  house.time.advance(1s);
  house.settle();
  EXPECT_EQ(house.wakes(WakeReason::kTimer), 100U);
  EXPECT_EQ(house.worker.counters().freezes.get(), freezes + 100);
  EXPECT_EQ(house.frozen(), 100U) << "at once, not a second later";
}

TEST(Freezing, AConnectionThatItsPeerWokeWaitsForItsDelayAgain) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  house.advance(1s);
  ASSERT_EQ(house.frozen(), 1U);
  peer->ping();
  house.settle(*peer);
  EXPECT_EQ(house.frozen(), 0U);
}

TEST(Freezing, AnEventThatIsSoonFollowedByAnotherLeavesItsConnectionResident) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  peer->get("/drip?bytes=1&interval=500ms&count=0");
  house.settle(*peer);
  for (int i = 0; i < 100; ++i) house.advance(100ms);
  EXPECT_EQ(house.worker.counters().freezes.get(), 0U);
}

TEST(Freezing, AFreezeThatLastsForgivesThePeer) {
  WorkerHouse house(after(1s));
  auto peer = house.greeted();
  for (int i = 0; i < 2; ++i) {
    house.advance(1s);
    house.advance(1s);
    house.advance(1s);
    peer->ping();
    house.settle(*peer);
  }
  house.advance(1s);
  house.advance(1min);
  EXPECT_EQ(house.frozen(), 1U);
  peer->ping();
  house.settle(*peer);
  house.advance(1s);
  EXPECT_EQ(house.frozen(), 1U) << "after the first delay again";
}

TEST(Freezing, AFleetIsFrozenInSmallBatches) {
  WorkerHouse house(after(1s));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(house.greeted());
  house.time.advance(1s);
  house.worker.turn();
  EXPECT_GT(house.frozen(), 0U);
  EXPECT_LE(house.frozen(), 8U) << "a request that comes now does not wait for all of them";
  EXPECT_LE(house.worker.next_deadline(), house.time.now()) << "the thread goes on with them";
  house.settle();
  EXPECT_EQ(house.frozen(), 100U);
}

TEST(Freezing, ThoseThatFellIdleAtDifferentMomentsShareAWakeUp) {
  WorkerHouse house(after(1s));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 50; ++i) {
    peers.push_back(house.greeted());
    house.advance(1ms);
  }
  int wake_ups = 0;
  while (house.frozen() < peers.size()) {
    house.time.advance(house.worker.next_deadline() - house.time.now());
    house.settle();
    ++wake_ups;
    ASSERT_LE(wake_ups, 3);
  }
}

TEST(Freezing, PeersThatPokedBeforeTheirTurnKeepNobodyWaitingLater) {
  WorkerHouse house(after(1s));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(house.greeted());
  for (int round = 0; round < 50; ++round) {
    house.advance(990ms);
    for (auto& peer : peers) peer->ping();
    for (auto& peer : peers) house.settle(*peer);
  }
  EXPECT_EQ(house.worker.counters().freezes.get(), 0U);
  for (int i = 0; i < 21; ++i) house.advance(50ms);
  EXPECT_EQ(house.frozen(), 100U) << "a delay and a tick after the last one";
}

TEST(Freezing, ACrowdThatWasAwakeMeanwhileIsLookedAtInParts) {
  WorkerHouse house(after(1s));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 200; ++i) peers.push_back(house.greeted());
  house.advance(990ms);
  for (auto& peer : peers) peer->ping();
  for (auto& peer : peers) house.settle(*peer);
  house.time.advance(10ms);
  EXPECT_TRUE(house.worker.turn()) << "there are more: a request that comes now is not behind all of them";
  house.settle();
  EXPECT_EQ(house.frozen(), 0U);
  house.advance(1s);
  EXPECT_EQ(house.frozen(), 200U);
}

TEST(Freezing, AConnectionInTheTicketOfOneThatClosedHasItsOwnDelay) {
  WorkerHouse house(after(1s));
  auto first = house.greeted();
  const auto place = house.last_id().index;
  house.advance(500ms);
  first.reset();
  house.settle();
  auto second = house.greeted();
  ASSERT_EQ(house.last_id().index, place);
  house.advance(500ms);
  EXPECT_EQ(house.frozen(), 0U);
  house.advance(500ms);
  EXPECT_EQ(house.frozen(), 1U);
}

TEST(Freezing, AHandlerInAWaitOfItsOwnPinsItsConnection) {
  std::coroutine_handle<> elsewhere;
  struct Foreign {
    std::coroutine_handle<>& handle;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> who) { handle = who; }
    void await_resume() {}
  };
  const http::Handler handler = [&](http::Request&, http::Responder& responder) -> Task<> {
    const bool before = responder.started();
    co_await Foreign{elsewhere};
    co_await responder.send("text/plain", before ? "" : "done");
  };
  WorkerHouse house(WorkerHouse::freezing_options(), handler, [] {});
  auto peer = house.greeted();
  EXPECT_EQ(house.frozen(), 1U);
  const auto stream = peer->get("/");
  house.settle(*peer);
  house.advance(1min);
  EXPECT_EQ(house.parked(), 1U);
  EXPECT_EQ(house.frozen(), 0U);
  elsewhere.resume();
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).body, "done");
  EXPECT_EQ(house.frozen(), 1U);
}

TEST(Freezing, ADamagedImageEndsItsConnectionAndNoOther) {
  WorkerHouse house(WorkerHouse::freezing_options());
  auto healthy = house.greeted();
  auto damaged = house.greeted();
  ASSERT_EQ(house.frozen(), 2U);
  auto& image = house.worker.tickets()[house.last_id().index].image;
  image.block().back() ^= std::byte{1};
  damaged->ping();
  house.settle(*damaged);
  EXPECT_TRUE(damaged->closed());
  EXPECT_EQ(house.open(), 1U);
  EXPECT_EQ(house.closed(http::CloseReason::kError), 1U);
  const auto stream = healthy->get("/hello");
  house.settle(*healthy);
  EXPECT_EQ(healthy->response(stream).status, "200");
  auto next = house.greeted();
  EXPECT_EQ(house.frozen(), 2U) << "the slot is used again";
}

/// Every gauge that a connection moves.
std::vector<std::uint64_t> gauges(WorkerHouse& house) {
  const auto& all = house.worker.counters();
  return {all.open.get(),
          all.h1.get(),
          all.h2.get(),
          all.tls.get(),
          all.idle.get(),
          all.parked.get(),
          all.frozen.get(),
          all.frozen_bytes.get(),
          all.in_flight.get(),
          all.streams_open.get(),
          all.tasks_live[0].get(),
          all.tasks_live[1].get()};
}

void damage_last(WorkerHouse& house, SocketPeer& peer) {
  ASSERT_GT(house.frozen(), 0U);
  house.worker.tickets()[house.last_id().index].image.block().back() ^= std::byte{1};
  peer.write_raw("x");
  house.settle();
}

// What is allocated meanwhile may stay: nobody can free what only a lost connection's image referred to.
struct LeakOnPurpose {
#ifdef __SANITIZE_ADDRESS__
  LeakOnPurpose() { __lsan_disable(); }
  ~LeakOnPurpose() { __lsan_enable(); }
  LeakOnPurpose(const LeakOnPurpose&) = delete;
  LeakOnPurpose& operator=(const LeakOnPurpose&) = delete;
#endif
};

TEST(Freezing, ALostConnectionIsCountedNoMore) {
  WorkerHouse house(WorkerHouse::freezing_options());
  const auto before = gauges(house);
  auto idle = house.greeted();
  ASSERT_NE(gauges(house), before);
  damage_last(house, *idle);
  EXPECT_EQ(gauges(house), before);

  auto silent = house.connect();
  house.settle();
  damage_last(house, *silent);
  EXPECT_EQ(gauges(house), before);

  auto old = house.connect();
  old->write_raw("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
  house.settle();
  ASSERT_EQ(house.worker.counters().h1.get(), 1U);
  damage_last(house, *old);
  EXPECT_EQ(gauges(house), before);

  [[maybe_unused]] const LeakOnPurpose contexts_and_sessions;
  house.secure({.alpn = {"h2"}});
  const auto secured = gauges(house);
  auto tls = house.greeted();
  ASSERT_EQ(house.worker.counters().tls.get(), 1U);
  damage_last(house, *tls);
  EXPECT_EQ(gauges(house), secured);
}

TEST(Freezing, ALostConnectionsStreamsAreCountedNoMore) {
  // The frames of its handlers are lost uncounted: on a thread whose count nobody looks at.
  std::thread([] {
    WorkerHouse house(WorkerHouse::freezing_options());
    const auto before = gauges(house);
    auto peer = house.greeted();
    for (int i = 0; i < 2; ++i) peer->get("/events?interval=10s");
    house.settle(*peer);
    damage_last(house, *peer);
    EXPECT_EQ(gauges(house), before);
  }).join();
}

TEST(Freezing, LearningItsDictionaryLeavesNoTraceInTheCounters) {
  WorkerHouse house(WorkerHouse::freezing_options());
  EXPECT_EQ(house.worker.counters().accepted.get(), 0U);
  EXPECT_EQ(house.worker.counters().requests.get(), 0U);
  EXPECT_EQ(house.worker.counters().closed[0].get(), 0U);
  EXPECT_EQ(house.worker.connections(), 0U);
}

}  // namespace
}  // namespace h2park::server
