// Shutdown, idleness and every timeout.
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using namespace std::chrono_literals;
using test::frame;
using test::H2Peer;
using test::request;

constexpr std::uint32_t kLastId = 0x7fff'ffff;

class Endings : public testing::Test {
 protected:
  Endings() { peer.greet(); }
  void begin_shutdown() {
    peer.session->begin_shutdown();
    peer.settle();
  }
  void answer_ping() {
    ASSERT_FALSE(peer.pings.empty());
    peer.send(test::ping(peer.pings.back(), test::kAck));
  }

  H2Peer peer{test::h2_routes()};
};

// ---- shutdown (RFC 9113 6.8)

TEST_F(Endings, ShutdownComesInTwoSteps) {
  peer.write_headers(1, request("GET", "/sleep"));
  begin_shutdown();
  ASSERT_EQ(peer.goaways.size(), 1U);
  EXPECT_EQ(peer.goaways[0].last_stream, kLastId);
  EXPECT_EQ(peer.goaways[0].code, test::kNoError);
  answer_ping();
  ASSERT_EQ(peer.goaways.size(), 2U);
  EXPECT_EQ(peer.goaways[1].last_stream, 1U);
  EXPECT_FALSE(peer.session->finished()) << "stream 1 runs";
  peer.advance(5s);
  EXPECT_EQ(peer.response(1).body, "awake\n");
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, ThePingFollowsTheNoticeWhoseRoundTripItMeasures) {
  peer.order.clear();
  begin_shutdown();
  ASSERT_EQ(peer.order.size(), 2U);
  EXPECT_EQ(peer.order[0].first, test::kGoaway);
  EXPECT_EQ(peer.order[1].first, test::kPing);
}

TEST_F(Endings, TheFirstStepRefusesNothing) {  // S22
  begin_shutdown();
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_EQ(peer.response(1).body, "hello\n");
  answer_ping();
  EXPECT_EQ(peer.goaways.back().last_stream, 1U);
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, TheSecondStepIgnoresWhatIsAboveItsId) {
  peer.write_headers(1, request("POST", "/upload"), false);
  begin_shutdown();
  answer_ping();
  peer.send(frame(test::kHeaders, test::kEndHeaders, 3,
                  test::indexed_literal("x", "y") + test::block(request("POST", "/upload"))));
  peer.write_data(3, std::string(10'000, 'x'));
  EXPECT_EQ(peer.driver.started, 1U);
  EXPECT_FALSE(peer.response(3).reset);
  // Stream 1 goes on; the ignored block was decoded.
  peer.send(frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 1, "\xbe"));
  EXPECT_EQ(peer.response(1).body, "0");
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, TheSecondStepWaitsOneSecondAtMost) {
  begin_shutdown();
  peer.advance(999ms);
  EXPECT_EQ(peer.goaways.size(), 1U);
  peer.advance(1ms);
  EXPECT_EQ(peer.goaways.size(), 2U);
  EXPECT_EQ(peer.goaways.back().last_stream, 0U);
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, AnyOtherPingAckDoesNotCount) {
  begin_shutdown();
  peer.send(test::ping("somebody", test::kAck));
  EXPECT_EQ(peer.goaways.size(), 1U);
}

TEST_F(Endings, ASecondShutdownIsHarmless) {
  begin_shutdown();
  begin_shutdown();
  EXPECT_EQ(peer.goaways.size(), 1U);
  EXPECT_EQ(peer.pings.size(), 1U);
  answer_ping();
  begin_shutdown();
  EXPECT_EQ(peer.goaways.size(), 2U);
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, ShutdownBeforeThePrefaceSaysSettingsAndGoaway) {  // S22
  H2Peer fresh(test::h2_routes());
  fresh.session->begin_shutdown();
  fresh.settle();
  ASSERT_GE(fresh.order.size(), 2U);
  EXPECT_EQ(fresh.order[0].first, test::kSettings);
  fresh.want_goaway(test::kNoError);
  // The first request, already under way, is served.
  fresh.send(test::preface() + test::settings_frame({}) +
             frame(test::kHeaders, 5, 1, test::block(request("GET", "/hello"))));
  EXPECT_EQ(fresh.response(1).body, "hello\n");
  fresh.advance(1s);
  EXPECT_EQ(fresh.goaways.back().last_stream, 1U);
  fresh.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, ShutdownOfASilentConnectionTakesASecond) {
  H2Peer fresh(test::h2_routes());
  fresh.session->begin_shutdown();
  fresh.settle();
  fresh.advance(1s);
  fresh.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, CancelResetsWhatStillRuns) {
  peer.write_headers(1, request("GET", "/wait"));
  peer.write_headers(3, request("POST", "/upload"), false);
  begin_shutdown();
  answer_ping();
  peer.session->cancel();
  peer.settle();
  peer.want_rst(1, test::kCancel);
  peer.want_rst(3, test::kCancel);
  EXPECT_EQ(peer.driver.live(), 0U);
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, CancelWithoutShutdownBeforeItDoesBoth) {
  peer.write_headers(1, request("GET", "/wait"));
  peer.session->cancel();
  peer.settle();
  peer.want_rst(1, test::kCancel);
  EXPECT_EQ(peer.goaways.back().last_stream, 1U);
  peer.want_finished(http::CloseReason::kShutdown);
}

TEST_F(Endings, CancelBehindAFullTransportFinishesAtOnce) {
  peer.sink.open(0);
  peer.write_headers(1, request("GET", "/bytes?n=100000"));
  peer.session->begin_shutdown();
  peer.session->produce(peer.sink);
  peer.session->cancel();
  EXPECT_TRUE(peer.session->finished());
  peer.settle();
  EXPECT_EQ(peer.driver.live(), 0U);
}

TEST_F(Endings, ShutdownAfterAnErrorChangesNothing) {
  peer.send(frame(test::kData, 0, 0, "x"));
  peer.session->begin_shutdown();
  peer.session->cancel();
  peer.settle();
  peer.want_finished(http::CloseReason::kProtocol);
  EXPECT_EQ(peer.goaways.size(), 1U);
}

TEST_F(Endings, ShutdownAfterTheClientsGoawayFinishes) {
  peer.write_headers(1, request("GET", "/sleep"));
  peer.send(frame(test::kGoaway, 0, 0, std::string(8, '\0')));
  begin_shutdown();
  peer.advance(6s);
  EXPECT_EQ(peer.response(1).body, "awake\n");
  EXPECT_TRUE(peer.session->finished());
}

TEST_F(Endings, EofEndsEverything) {
  peer.write_headers(1, request("GET", "/wait"));
  peer.session->receive_eof();
  peer.settle();
  EXPECT_EQ(peer.driver.live(), 0U);
  peer.want_finished(http::CloseReason::kClient);
  EXPECT_FALSE(peer.session->wants_lingering_close());
}

TEST_F(Endings, ErrorsLinger) {
  peer.send(frame(test::kData, 0, 0, "x"));
  EXPECT_TRUE(peer.session->wants_lingering_close());
}

TEST_F(Endings, NothingIsTakenAfterTheEnd) {
  peer.send(frame(test::kData, 0, 0, "x"));
  const std::string before = peer.produced;
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_FALSE(peer.session->wants_input());
  EXPECT_EQ(peer.produced, before);
  EXPECT_EQ(peer.driver.started, 0U);
}

TEST_F(Endings, DestructionAbandonsRunningHandlers) {
  peer.write_headers(1, request("GET", "/wait"));
  peer.receive(frame(test::kHeaders, 5, 3, test::block(request("GET", "/wait"))));  // not given out
  peer.session.reset();
  peer.driver.run_ready();
  EXPECT_EQ(peer.driver.live(), 0U);
}

// ---- idle

TEST_F(Endings, IdleConnectionsEndAfterThreeMinutes) {
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_EQ(peer.session->deadline(), peer.driver.time.now() + 3min);
  peer.advance(3min - 1ms);
  EXPECT_TRUE(peer.goaways.empty());
  peer.advance(1ms);
  ASSERT_EQ(peer.goaways.size(), 1U);
  EXPECT_EQ(peer.goaways[0].last_stream, kLastId);
  answer_ping();
  EXPECT_EQ(peer.goaways.back().last_stream, 1U);
  peer.want_finished(http::CloseReason::kIdle);
}

TEST_F(Endings, HeadersThatRaceTheIdleGoawayAreServed) {  // S22
  peer.advance(3min);
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_EQ(peer.response(1).body, "hello\n");
  answer_ping();
  EXPECT_EQ(peer.goaways.back().last_stream, 1U);
  peer.want_finished(http::CloseReason::kIdle);
}

TEST_F(Endings, AnOpenStreamIsNotIdle) {
  peer.write_headers(1, request("GET", "/wait"));
  EXPECT_EQ(peer.session->deadline(), kNever);
  peer.advance(24h);
  peer.want_alive();
  peer.send(test::rst_stream(1, test::kCancel));
  EXPECT_EQ(peer.session->deadline(), peer.driver.time.now() + 3min);
}

TEST_F(Endings, PingsDoNotKeepAConnectionOpen) {  // S21
  for (int second = 0; second < 179; ++second) {
    peer.send(test::ping("keep-me!"));
    peer.advance(1s);
  }
  EXPECT_TRUE(peer.goaways.empty());
  peer.advance(1s);
  EXPECT_FALSE(peer.goaways.empty());
  peer.advance(1s);
  peer.want_finished(http::CloseReason::kIdle);
}

// ---- preface and SETTINGS

TEST_F(Endings, ASilentClientGetsTenSeconds) {
  H2Peer fresh(test::h2_routes());
  fresh.settle();
  fresh.advance(10s - 1ms);
  EXPECT_FALSE(fresh.session->finished());
  fresh.advance(1ms);
  fresh.want_goaway(test::kSettingsTimeout);
  fresh.want_finished(http::CloseReason::kTimeout);
}

TEST_F(Endings, APrefaceThatDripsGetsTenSeconds) {
  H2Peer fresh(test::h2_routes());
  for (int i = 0; i < 9; ++i) {
    fresh.send(test::preface().substr(static_cast<std::size_t>(i), 1));
    fresh.advance(1s);
  }
  EXPECT_FALSE(fresh.session->finished());
  fresh.advance(1s);
  fresh.want_finished(http::CloseReason::kTimeout);
}

TEST_F(Endings, OurSettingsGetTheFullTimeoutToBeAcknowledged) {
  H2Peer fresh(test::h2_routes());
  fresh.settle();  // ours go out
  fresh.advance(9s);
  fresh.send(test::preface() + test::settings_frame({}));
  EXPECT_EQ(fresh.session->deadline(), fresh.driver.time.now() + 1s);
  H2Peer quick(test::h2_routes());
  quick.driver.time.advance(9s);
  quick.receive(test::preface() + test::settings_frame({}));
  EXPECT_GT(quick.session->deadline(), quick.driver.time.now()) << "ours did not go out yet";
  quick.settle();
  EXPECT_EQ(quick.session->deadline(), quick.driver.time.now() + 10s);
}

TEST_F(Endings, AMissingSettingsAckIsATimeout) {
  H2Peer fresh(test::h2_routes());
  fresh.send(test::preface() + test::settings_frame({}));
  fresh.write_headers(1, request("GET", "/hello"));
  EXPECT_EQ(fresh.response(1).status, 200U);
  fresh.advance(10s);
  fresh.want_goaway(test::kSettingsTimeout);
  fresh.want_finished(http::CloseReason::kTimeout);
}

TEST_F(Endings, ASettingsAckInTimeStopsTheClock) {
  EXPECT_EQ(peer.session->deadline(), peer.driver.time.now() + 3min);
  peer.advance(30s);
  peer.want_alive();
}

// ---- partial frames and field blocks

TEST_F(Endings, AFrameHeaderThatDripsEndsTheConnection) {  // S21
  const std::string bytes = frame(test::kHeaders, 5, 1, test::block(request("GET", "/hello")));
  peer.send(bytes.substr(0, 1));
  peer.advance(5s);
  peer.send(bytes.substr(1, 1));
  peer.advance(5s - 1ms);
  EXPECT_FALSE(peer.session->finished());
  peer.advance(1ms);
  peer.want_goaway(test::kEnhanceYourCalm);
  peer.want_finished(http::CloseReason::kTimeout);
}

TEST_F(Endings, AFieldBlockThatNeverEndsEndsTheConnection) {
  const std::string fields = test::block(request("GET", "/hello"));
  peer.send(frame(test::kHeaders, test::kEndStream, 1, fields.substr(0, 10)));
  peer.advance(6s);
  peer.send(frame(test::kContinuation, 0, 1, fields.substr(10, 5)));
  peer.advance(4s);
  peer.want_finished(http::CloseReason::kTimeout);
}

TEST_F(Endings, AFieldBlockThatEndsInTimeIsServed) {
  const std::string fields = test::block(request("GET", "/hello"));
  peer.send(frame(test::kHeaders, test::kEndStream, 1, fields.substr(0, 10)));
  peer.advance(6s);
  peer.send(frame(test::kContinuation, test::kEndHeaders, 1, fields.substr(10)));
  peer.advance(6s);
  EXPECT_EQ(peer.response(1).body, "hello\n");
  peer.want_alive();
}

TEST_F(Endings, ADataFrameMayTakeLonger) {
  peer.write_headers(1, request("POST", "/upload"), false);
  const std::string data = frame(test::kData, test::kEndStream, 1, std::string(100, 'x'));
  for (std::size_t i = 0; i < data.size() - 1; ++i) {
    peer.send(data.substr(i, 1));
    peer.advance(1s);
  }
  peer.send(data.substr(data.size() - 1));
  EXPECT_EQ(peer.response(1).body, "100");
}

TEST_F(Endings, ADataFrameThatDripsForMinutesEndsTheConnection) {
  peer.write_headers(1, request("POST", "/upload"), false);
  const std::string data = frame(test::kData, test::kEndStream, 1, std::string(100, 'x'));
  for (std::size_t i = 0; i < 90 && !peer.session->finished(); ++i) {
    peer.send(data.substr(i, 1));
    peer.advance(i < 9 ? 10ms : 5s);
  }
  peer.want_finished(http::CloseReason::kTimeout);
}

// ---- stalled streams

TEST_F(Endings, AResponseThatTheWindowBlocksIsResetAfterThirtySeconds) {  // S7, S21
  H2Peer stalled(test::h2_routes());
  stalled.greet({{test::kInitialWindowSize, 0}});
  stalled.write_headers(1, request("GET", "/bytes?n=1000"));
  stalled.write_headers(3, request("GET", "/hello", {{"x", "y"}}));
  EXPECT_EQ(stalled.session->deadline(), stalled.driver.time.now() + 30s);
  stalled.advance(20s);
  stalled.send(test::window_update(3, 1));  // stream 3 moves
  stalled.advance(10s);
  stalled.want_rst(1, test::kCancel);
  EXPECT_FALSE(stalled.response(3).reset);
  stalled.advance(20s);
  stalled.want_rst(3, test::kCancel);
  EXPECT_EQ(stalled.driver.live(), 0U);
  stalled.want_alive();
}

TEST_F(Endings, ATrickleOfWindowKeepsAResponseAlive) {
  H2Peer stalled(test::h2_routes());
  stalled.greet({{test::kInitialWindowSize, 0}});
  stalled.write_headers(1, request("GET", "/bytes?n=10"));
  for (int i = 0; i < 10; ++i) {
    stalled.advance(29s);
    stalled.send(test::window_update(1, 1));
  }
  EXPECT_TRUE(stalled.response(1).ended);
}

TEST_F(Endings, AHandlerThatHasNothingToSayIsNotStalled) {
  peer.write_headers(1, request("GET", "/open"));
  peer.advance(1h);
  EXPECT_FALSE(peer.response(1).reset);
  EXPECT_EQ(peer.session->deadline(), kNever) << "an open stream wakes nobody";
}

TEST_F(Endings, AFullTransportIsTheConnectionsBusiness) {
  peer.sink.open(0);
  peer.write_headers(1, request("GET", "/bytes?n=100000"));
  peer.advance(2min);
  peer.sink.open();
  peer.settle();
  EXPECT_FALSE(peer.response(1).reset);
  EXPECT_EQ(peer.response(1).body.size(), 65'535U);
}

TEST_F(Endings, AResponseThatFillsTransportAndWindowIsResetOnceTheTransportIsFree) {
  peer.sink.open(65'000);  // full with the last bytes of the window
  peer.write_headers(1, request("GET", "/bytes?n=100000"));
  EXPECT_EQ(peer.response(1).body.size(), 65'535U);
  EXPECT_TRUE(peer.session->has_output()) << "the session has to see that the transport is free again";
  peer.advance(30s);
  EXPECT_FALSE(peer.response(1).reset);
  peer.sink.open();
  peer.settle();
  EXPECT_TRUE(peer.session->can_park());
  peer.advance(30s);
  peer.want_rst(1, test::kCancel);
}

TEST_F(Endings, AnUploadOfWhichNothingComesIsReset) {
  peer.write_headers(1, request("POST", "/upload"), false);
  peer.advance(2min);
  peer.write_data(1, "x");
  peer.advance(3min - 1ms);
  EXPECT_FALSE(peer.response(1).reset);
  peer.advance(1ms);
  peer.want_rst(1, test::kCancel);
  EXPECT_EQ(peer.driver.live(), 0U);
  peer.want_alive();
}

TEST_F(Endings, AnUploadThatWaitsForItsHandlerIsNotReset) {
  peer.write_headers(1, request("POST", "/wait"), false);
  for (int i = 0; i < 5; ++i) peer.write_data(1, std::string(13'107, 'x'));
  peer.advance(1h);
  EXPECT_FALSE(peer.response(1).reset);
  peer.want_alive();
}

TEST_F(Endings, SleepingHandlersWakeWithoutTheSession) {
  peer.write_headers(1, request("GET", "/sleep"));
  peer.advance(5s);
  EXPECT_EQ(peer.response(1).body, "awake\n");
}

// ---- parking

TEST_F(Endings, AConnectionParksOnlyWhenNothingIsOwed) {
  EXPECT_TRUE(peer.session->can_park());
  peer.receive(test::ping("12345678"));
  EXPECT_FALSE(peer.session->can_park()) << "a PING ACK is owed";
  peer.settle();
  peer.receive(test::settings_frame({}));
  EXPECT_FALSE(peer.session->can_park()) << "a SETTINGS ACK is owed";
  peer.settle();
  peer.receive(frame(test::kHeaders, 5, 1, test::block(request("GET", "/wait"))));
  EXPECT_FALSE(peer.session->can_park()) << "a request was not given out";
  peer.settle();
  EXPECT_TRUE(peer.session->can_park()) << "open streams do not prevent it";
  peer.session->begin_shutdown();
  EXPECT_FALSE(peer.session->can_park());
  peer.settle();
  EXPECT_FALSE(peer.session->can_park()) << "shutdown is in progress";
}

TEST_F(Endings, AConnectionParksWithABlockedResponseAndWakesByTheWindow) {
  H2Peer stalled(test::h2_routes());
  stalled.greet({{test::kInitialWindowSize, 0}});
  stalled.write_headers(1, request("GET", "/hello"));
  EXPECT_TRUE(stalled.session->can_park());
  stalled.send(test::window_update(1, 100));
  EXPECT_EQ(stalled.response(1).body, "hello\n");
}

TEST_F(Endings, AConnectionParksWithAPartialFrameBecauseItsDeadlineRuns) {
  peer.send(frame(test::kHeaders, 5, 1, test::block(request("GET", "/hello"))).substr(0, 12));
  EXPECT_TRUE(peer.session->can_park());
  EXPECT_EQ(peer.session->deadline(), peer.driver.time.now() + 10s);
}

TEST_F(Endings, AReadingHandlerWakesForTheWindowUpdate) {
  peer.receive(frame(test::kHeaders, test::kEndHeaders, 1, test::block(request("POST", "/upload"))) +
               frame(test::kData, 0, 1, std::string(16'384, 'x')) +
               frame(test::kData, 0, 1, std::string(16'384, 'x')) +
               frame(test::kData, 0, 1, std::string(16'384, 'x')));
  EXPECT_FALSE(peer.session->has_output());
  peer.driver.start_requests(*peer.session);
  EXPECT_TRUE(peer.session->has_output()) << "the window is to be refilled";
  EXPECT_FALSE(peer.session->can_park());
}

}  // namespace
}  // namespace h2park::http2
