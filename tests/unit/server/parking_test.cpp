// Parking and waking, sender by sender, on a fake clock.
#include "server/dormancy.hpp"
#include "support/worker_house.hpp"

#include <gtest/gtest.h>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;
using test::SocketPeer;
using test::WorkerHouse;

/// Each test runs with connections that only park, and with connections that are frozen whenever they park.
struct Parking : testing::TestWithParam<bool> {
  WorkerHouse house{GetParam() ? WorkerHouse::freezing_options() : WorkerHouse::default_options()};

  std::unique_ptr<SocketPeer> parked_peer() {
    auto peer = house.greeted();
    const auto stream = peer->get("/hello");
    house.settle(*peer);
    EXPECT_EQ(peer->response(stream).status, "200");
    EXPECT_EQ(house.parked(), 1U);
    EXPECT_EQ(house.serving(), 0U) << "a parked connection has no serve coroutine";
    EXPECT_EQ(house.frozen(), GetParam() ? 1U : 0U);
    return peer;
  }
};

TEST_P(Parking, AConnectionWithNothingToDoHasNoCoroutine) { parked_peer(); }

TEST_P(Parking, ASilentConnectionParksBeforeItsPreface) {
  auto peer = house.connect();
  house.settle();
  EXPECT_EQ(house.parked(), 1U);
  peer->greet();
  house.settle(*peer);
  EXPECT_EQ(peer->settings_acks(), 1);
}

TEST_P(Parking, ARequestWakesIt) {
  auto peer = parked_peer();
  const auto before = house.wakes(WakeReason::kReadable);
  const auto stream = peer->get("/hello");
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).status, "200");
  EXPECT_TRUE(peer->response(stream).complete);
  EXPECT_GT(house.wakes(WakeReason::kReadable), before);
  EXPECT_EQ(house.parked(), 1U) << "and it is parked again";
}

// golang/go#81444: the first request after an idle spell arrived cancelled.
TEST_P(Parking, TheFirstRequestAfterAnIdleSpellRunsToItsEnd) {
  auto peer = parked_peer();
  house.advance(2min);
  const auto stream = peer->get("/info");
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).status, "200");
  EXPECT_FALSE(peer->response(stream).reset);
  EXPECT_FALSE(peer->response(stream).body.empty());
}

TEST_P(Parking, APingWakesItAndIsAnswered) {
  auto peer = parked_peer();
  peer->ping();
  house.settle(*peer);
  EXPECT_EQ(peer->pongs(), 1);
  EXPECT_EQ(house.parked(), 1U);
}

TEST_P(Parking, ASettingsChangeWakesItAndIsAcknowledged) {
  auto peer = parked_peer();
  const int before = peer->settings_acks();
  peer->change_settings(1'000'000);
  house.settle(*peer);
  EXPECT_EQ(peer->settings_acks(), before + 1);
  EXPECT_EQ(house.parked(), 1U);
}

TEST_P(Parking, AnOpenEventStreamParksBetweenEvents) {
  auto peer = house.greeted();
  const auto stream = peer->get("/events?interval=30s");
  house.settle(*peer);
  const std::size_t first = peer->response(stream).body.size();
  EXPECT_GT(first, 0U);
  EXPECT_EQ(house.parked(), 1U) << "an open stream does not prevent parking";
  EXPECT_EQ(house.serving(), 0U);
  house.advance(29s);
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).body.size(), first);
  const auto before = house.wakes(WakeReason::kTimer);
  house.advance(1s);
  house.settle(*peer);
  EXPECT_GT(peer->response(stream).body.size(), first);
  EXPECT_EQ(house.wakes(WakeReason::kTimer), before + 1);
  EXPECT_EQ(house.parked(), 1U);
}

TEST_P(Parking, ALongPollsAnswerWakesIt) {
  auto peer = house.greeted();
  const auto stream = peer->get("/wait?ms=60000");
  house.settle(*peer);
  EXPECT_EQ(house.parked(), 1U);
  EXPECT_FALSE(peer->response(stream).complete);
  house.advance(60s);
  house.settle(*peer);
  EXPECT_TRUE(peer->response(stream).complete);
  EXPECT_EQ(peer->response(stream).status, "200");
}

TEST_P(Parking, TheIdleDeadlineFiresWhileParked) {
  auto peer = parked_peer();
  house.advance(3min - 1ms);
  house.settle(*peer);
  EXPECT_TRUE(peer->goaways().empty());
  EXPECT_EQ(house.open(), 1U);
  house.advance(1ms);
  house.settle(*peer);
  house.advance(2s);  // what a GOAWAY in two steps may take without an answer
  house.settle(*peer);
  ASSERT_FALSE(peer->goaways().empty());
  EXPECT_EQ(peer->goaways().back().second, NGHTTP2_NO_ERROR);
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.closed(http::CloseReason::kIdle), 1U);
}

TEST_P(Parking, ADayOfNothingKeepsAnEventStreamOpen) {
  auto peer = house.greeted(1 << 30);
  const auto stream = peer->get("/events?interval=24h");
  house.settle(*peer);
  house.advance(24h);
  house.settle(*peer);
  EXPECT_FALSE(peer->response(stream).reset);
  EXPECT_EQ(house.open(), 1U);
}

std::string goaway(std::string_view last_stream_id) {
  using namespace std::string_literals;
  return "\0\0\x08\x07\0\0\0\0\0"s + std::string(last_stream_id) + "\0\0\0\0"s;
}

TEST_P(Parking, AShutdownWakesItWithAGoawayInTwoSteps) {
  using namespace std::string_literals;
  auto peer = parked_peer();
  house.worker.stop(StopPhase::kGraceful);
  house.settle();
  const std::string notice = peer->read_raw();
  EXPECT_NE(notice.find(goaway("\x7f\xff\xff\xff")), std::string::npos);
  EXPECT_EQ(house.wakes(WakeReason::kShutdown), 1U);
  EXPECT_FALSE(peer->closed()) << "a request may be on its way";
  const auto ping = notice.find("\0\0\x08\x06\0"s);
  ASSERT_NE(ping, std::string::npos);
  std::string ack = notice.substr(ping, 17);
  ack[4] = 1;
  peer->write_raw(ack);
  house.settle();
  EXPECT_EQ(peer->read_raw(), goaway("\0\0\0\x01"s));
  EXPECT_TRUE(peer->closed());
  peer->close();
  house.settle();
  EXPECT_TRUE(house.worker.empty());
  EXPECT_EQ(house.closed(http::CloseReason::kShutdown), 1U);
}

TEST_P(Parking, AShutdownLetsARunningStreamFinish) {
  auto peer = house.greeted();
  const auto stream = peer->get("/delay/5000");
  house.settle(*peer);
  house.worker.stop(StopPhase::kGraceful);
  house.settle(*peer);
  EXPECT_EQ(house.open(), 1U);
  house.advance(5s);
  house.settle(*peer);
  EXPECT_TRUE(peer->response(stream).complete);
  EXPECT_EQ(peer->response(stream).status, "200");
  EXPECT_EQ(house.open(), 0U);
}

TEST_P(Parking, TheEndOfTheGracePeriodCancelsWhatHangs) {
  auto peer = house.greeted();
  peer->get("/wait?ms=3600000");
  house.settle(*peer);
  house.worker.stop(StopPhase::kGraceful);
  house.settle(*peer);
  EXPECT_EQ(house.open(), 1U);
  house.worker.stop(StopPhase::kCancel);
  house.settle();
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.worker.counters().in_flight.get(), 0U) << "the handler returned";
}

TEST_P(Parking, AClientThatGoesAwayEndsAParkedConnection) {
  auto peer = parked_peer();
  peer->close();
  house.settle();
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.parked(), 0U);
  EXPECT_EQ(house.closed(http::CloseReason::kClient), 1U);
}

TEST_P(Parking, AClientThatGoesAwayEndsItsHandlers) {
  auto peer = house.greeted();
  peer->get("/events?interval=1h");
  peer->get("/wait?ms=3600000");
  house.settle(*peer);
  EXPECT_EQ(house.worker.counters().in_flight.get(), 2U);
  peer->close();
  house.settle();
  EXPECT_EQ(house.worker.counters().in_flight.get(), 0U);
  EXPECT_EQ(house.open(), 0U);
}

TEST_P(Parking, AResponseBlockedByThePeersWindowParksAndGoesOnWithItsUpdate) {
  auto peer = house.greeted(0);
  const auto stream = peer->get("/bytes/1000");
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).body.size(), 0U);
  EXPECT_EQ(house.parked(), 1U) << "only a WINDOW_UPDATE can free it, and that is input";
  peer->change_settings(100'000);
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).body.size(), 1000U);
}

TEST_P(Parking, AResponseThatTheSocketRefusesKeepsItActive) {
  auto peer = house.greeted(1 << 30);
  const auto stream = peer->get("/bytes/10000000");
  // The peer's socket is not read: its buffer is full long before the response ends (the connection window is
  // not).
  for (int i = 0; i < 4; ++i) house.settle();
  EXPECT_EQ(peer->response(stream).body.size(), 0U);
  EXPECT_EQ(house.open(), 1U);
}

TEST_P(Parking, AHeldStreamIsNotKilledByTheIdleDeadline) {
  auto peer = house.greeted();
  const auto stream = peer->get("/wait?ms=600000");
  house.settle(*peer);
  house.advance(10min);
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).status, "200");
}

TEST_P(Parking, ARequestThatWasCancelledCountsAsNoAnswer) {
  auto peer = house.greeted();
  const auto stream = peer->get("/wait?ms=60000");
  house.settle(*peer);
  peer->reset(stream);
  house.settle(*peer);
  EXPECT_EQ(house.worker.counters().by_status[0].get(), 1U);
  EXPECT_EQ(house.worker.counters().by_status[2].get(), 0U);
}

TEST_P(Parking, GaugesReturnToZeroWhenAllConnectionsAreClosed) {
  for (int i = 0; i < 20; ++i) {
    auto peer = house.greeted();
    peer->get("/hello");
    peer->get("/events?interval=1h");
    house.settle(*peer);
  }
  house.settle();
  const auto& counters = house.worker.counters();
  EXPECT_EQ(counters.open.get(), 0U);
  EXPECT_EQ(counters.h2.get(), 0U);
  EXPECT_EQ(counters.parked.get(), 0U);
  EXPECT_EQ(counters.idle.get(), 0U);
  EXPECT_EQ(counters.in_flight.get(), 0U);
  EXPECT_EQ(counters.streams_open.get(), 0U);
  EXPECT_EQ(counters.buffer_bytes.get(), 0U);
  EXPECT_EQ(counters.tasks_live[0].get() + counters.tasks_live[1].get(), 0U);
  EXPECT_EQ(counters.frame_bytes.get(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Depth, Parking, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "frozen" : "parked"; });

TEST(ParkingOff, KeepsAServeCoroutinePerConnection) {
  WorkerHouse house(WorkerHouse::default_options(false));
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < 10; ++i) {
    peers.push_back(house.greeted());
    peers.back()->get("/hello");
    house.settle(*peers.back());
  }
  EXPECT_EQ(house.serving(), 10U);
  EXPECT_EQ(house.parked(), 0U);
  house.advance(3min);
  for (auto& peer : peers) house.settle(*peer);
  house.advance(1s);  // a client without streams need not answer the PING between the two GOAWAYs
  for (auto& peer : peers) house.settle(*peer);
  EXPECT_EQ(house.open(), 0U) << "the idle deadline holds without parking too";
  EXPECT_EQ(house.serving(), 0U);
}

TEST(ParkAfter, ParksOnlyAfterTheTimeWithoutWork) {
  server::Options options = WorkerHouse::default_options();
  options.parking.park_after = 5s;
  WorkerHouse house(options);
  auto peer = house.greeted();
  EXPECT_EQ(house.parked(), 0U);
  house.advance(4s);
  EXPECT_EQ(house.parked(), 0U);
  peer->ping();
  house.settle(*peer);
  house.advance(4s);
  EXPECT_EQ(house.parked(), 0U) << "the PING was work";
  house.advance(1s);
  EXPECT_EQ(house.parked(), 1U);
}

struct Http1Parking : testing::TestWithParam<bool> {
  WorkerHouse house{GetParam() ? WorkerHouse::freezing_options() : WorkerHouse::default_options()};
};
INSTANTIATE_TEST_SUITE_P(Depth, Http1Parking, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "frozen" : "parked"; });

TEST_P(Http1Parking, AKeepAliveConnectionParksAndWakes) {
  auto peer = house.connect();
  for (int i = 0; i < 3; ++i) {
    peer->write_raw("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    house.settle();
    EXPECT_TRUE(peer->read_raw().starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(house.parked(), 1U);
    EXPECT_EQ(house.serving(), 0U);
  }
  EXPECT_EQ(house.worker.counters().h1.get(), 1U);
  house.advance(3min);
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.closed(http::CloseReason::kIdle), 1U);
}

TEST_P(Http1Parking, PipelinedRequestsAreAllAnsweredBeforeItParks) {
  auto peer = house.connect();
  peer->write_raw(
      "GET /delay/1000 HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /status/404 HTTP/1.1\r\nHost: a\r\n\r\n");
  house.settle();
  EXPECT_EQ(peer->read_raw(), "");
  house.advance(1s);
  const std::string all = peer->read_raw();
  const auto first = all.find("HTTP/1.1 200"), second = all.find("HTTP/1.1 200", first + 1);
  EXPECT_NE(second, std::string::npos);
  EXPECT_GT(all.find("HTTP/1.1 404"), second);
  EXPECT_EQ(house.parked(), 1U);
}

TEST_P(Http1Parking, AHalfClosedClientGetsItsAnswer) {
  auto peer = house.connect();
  peer->write_raw("GET /delay/1000 HTTP/1.1\r\nHost: a\r\n\r\n");
  peer->half_close();
  house.settle();
  EXPECT_EQ(house.open(), 1U);
  house.advance(1s);
  EXPECT_TRUE(peer->read_raw().starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(house.open(), 0U);
}

TEST(Preface, AConnectionThatNeverSpeaksIsClosed) {
  WorkerHouse house;
  auto peer = house.connect();
  house.advance(9999ms);
  EXPECT_EQ(house.open(), 1U);
  house.advance(1ms);
  EXPECT_EQ(house.open(), 0U);
  EXPECT_EQ(house.closed(http::CloseReason::kTimeout), 1U);
}

TEST(MaxConnections, OneMoreIsRefused) {
  server::Options options = WorkerHouse::default_options();
  options.max_connections = 2;
  WorkerHouse house(options);
  auto a = house.greeted();
  auto b = house.greeted();
  auto c = house.connect();
  c->read_raw();
  EXPECT_TRUE(c->closed());
  EXPECT_EQ(house.worker.counters().refused.get(), 1U);
  a->close();
  house.settle();
  auto d = house.greeted();
  EXPECT_EQ(d->settings_acks(), 1);
}

}  // namespace
}  // namespace h2park::server
