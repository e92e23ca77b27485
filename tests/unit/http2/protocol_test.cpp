// Frames as RFC 9113 and RFC 7541 define them, and what happens when a client breaks the rules.
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using test::frame;
using test::H2Peer;
using test::request;

class Protocol : public testing::Test {
 protected:
  Protocol() { peer.greet(); }
  void want_connection_error(std::uint32_t code) {
    peer.want_goaway(code);
    peer.want_finished(http::CloseReason::kProtocol);
    EXPECT_EQ(peer.driver.live(), 0U) << "handlers know that the client is gone";
  }
  /// A request whose handler waits.
  void open(std::uint32_t id, bool end_stream = true) {
    peer.write_headers(id, request("POST", "/wait"), end_stream);
  }

  H2Peer peer{test::h2_routes()};
};

// ---- preface

TEST(Preface, IsAnsweredWithSettingsFirst) {
  H2Peer peer(test::h2_routes());
  peer.send(test::preface() + test::settings_frame({}));
  EXPECT_EQ(peer.order.at(0).first, test::kSettings);
  EXPECT_FALSE(peer.settings.empty());
  peer.want_settings_ack();
}

TEST(Preface, IsNotAwaitedBeforeOurSettings) {
  H2Peer peer(test::h2_routes());
  EXPECT_TRUE(peer.session->has_output());
  peer.settle();
  EXPECT_FALSE(peer.settings.empty());
}

TEST(Preface, ThatIsWrongIsAProtocolError) {
  H2Peer peer(test::h2_routes());
  peer.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  peer.want_goaway(test::kProtocolError);
  peer.want_finished(http::CloseReason::kProtocol);
}

TEST(Preface, WithoutSettingsIsAProtocolError) {
  H2Peer peer(test::h2_routes());
  peer.send(test::preface() + test::ping("12345678"));
  peer.want_goaway(test::kProtocolError);
  peer.want_finished(http::CloseReason::kProtocol);
}

// ---- 4.1, 4.2 frames

TEST_F(Protocol, UnknownFramesAndFlagsAndTheReservedBitAreIgnored) {
  peer.send(frame(0x16, 0xff, 0, "extension") + frame(0xff, 0, 9, ""));
  peer.send(frame(test::kPing, 0xfe, 0, "12345678"));
  peer.want_ping_ack("12345678");
  peer.send(frame(test::kWindowUpdate, 0x08, 0x8000'0000, test::number(1000, 4)));
  peer.send(frame(test::kSettings, 0x08, 0, ""));
  peer.want_settings_ack();
  peer.want_alive();
}

TEST_F(Protocol, ExtensionFramesWithinAFieldBlockAreAnError) {
  peer.send(frame(test::kHeaders, test::kEndStream, 1, test::block(request("GET", "/hello"))) +
            frame(0x16, 0, 1, ""));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, FramesLargerThanOursAreAnError) {
  open(1, false);
  peer.send(frame(test::kData, 0, 1, std::string(16'385, 'x')));
  want_connection_error(test::kFrameSizeError);
}

TEST_F(Protocol, FramesOfTheLargestSizeAreTaken) {
  open(1, false);
  peer.send(frame(test::kData, 0, 1, std::string(16'384, 'x')));
  peer.want_alive();
}

// ---- 5.1 stream states

TEST_F(Protocol, IdleStreamsTakeOnlyHeadersAndPriority) {  // S18
  peer.send(test::priority(3, 0));
  peer.write_headers(1, request("GET", "/hello"));
  EXPECT_EQ(peer.response(1).status, 200U);
  peer.want_alive();
  const std::vector<std::string> wrong = {frame(test::kData, 0, 5, "x"), test::rst_stream(5, test::kCancel),
                                          test::window_update(7, 1), frame(test::kContinuation, 4, 5, "")};
  for (const std::string& bytes : wrong) {
    H2Peer other(test::h2_routes());
    other.greet();
    other.send(bytes);
    other.want_goaway(test::kProtocolError);
    other.want_finished(http::CloseReason::kProtocol);
  }
}

TEST_F(Protocol, HalfClosedStreamsTakeNoMoreData) {
  open(1);
  peer.send(frame(test::kData, 0, 1, "x"));
  want_connection_error(test::kStreamClosed);
}

TEST_F(Protocol, HalfClosedStreamsTakeNoMoreHeaders) {
  open(1);
  open(1);
  want_connection_error(test::kStreamClosed);
}

TEST_F(Protocol, HalfClosedStreamsTakeWindowUpdatePriorityAndReset) {
  open(1);
  peer.send(test::window_update(1, 100) + test::priority(1, 0) + test::rst_stream(1, test::kCancel));
  peer.want_alive();
  EXPECT_EQ(peer.session->open_streams(), 0U);
}

TEST_F(Protocol, FramesOnAStreamThatTheClientEndedAreAnError) {
  const std::vector<std::string> wrong = {frame(test::kData, test::kEndStream, 1, "x"),
                                          frame(test::kHeaders, 5, 1, test::block(request("GET", "/hello")))};
  for (const std::string& bytes : wrong) {
    H2Peer other(test::h2_routes());
    other.greet();
    other.write_headers(1, request("GET", "/hello"));
    ASSERT_TRUE(other.response(1).ended);
    other.send(bytes);
    other.want_goaway(test::kStreamClosed);
    other.want_finished(http::CloseReason::kProtocol);
  }
}

TEST_F(Protocol, FramesOnAStreamThatTheClientResetAreAnError) {
  open(1, false);
  peer.send(test::rst_stream(1, test::kCancel) + frame(test::kData, 0, 1, "x"));  // in one piece
  want_connection_error(test::kStreamClosed);
}

TEST_F(Protocol, LateWindowUpdateAndResetOnClosedStreamsAreIgnored) {
  peer.write_headers(1, request("GET", "/hello"));
  peer.send(test::window_update(1, 100) + test::rst_stream(1, test::kCancel) + test::priority(1, 0));
  peer.want_alive();
}

TEST_F(Protocol, FramesUnderWayWhenWeResetAreIgnored) {  // S1
  peer.write_headers(1, request("POST", "/rst"), false);
  peer.want_rst(1, test::kCancel);
  peer.write_data(1, "late");
  peer.send(frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 1,
                  test::indexed_literal("late", "trailer")));
  peer.send(test::window_update(1, 10));
  peer.send(test::rst_stream(1, test::kNoError));
  peer.want_alive();
  EXPECT_EQ(peer.response(1).resets, 1U);
  // The trailers were decoded: their entry can be referred to.
  peer.send(frame(test::kHeaders, 5, 3, test::block(request("GET", "/info")) + '\xbe'));
  EXPECT_THAT(peer.response(3).body, testing::EndsWith("late=trailer\n"));
}

TEST_F(Protocol, StreamIdsAreOdd) {
  open(2);
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, ASkippedStreamIsNotOpenedLater) {  // RFC 9113 5.1.1
  open(5);
  peer.write_headers(3, request("GET", "/hello"));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, AClientMaySkipAndGoOn) {
  for (const std::int32_t id : {13, 15, 101, 103}) {
    peer.write_headers(id, request("GET", "/hello"));
    EXPECT_EQ(peer.response(id).status, 200U) << id;
  }
  peer.write_headers(99, request("GET", "/hello"));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, StreamsOverTheLimitAreRefusedAndMayBeRetried) {
  http::SessionOptions options;
  options.max_streams = 3;
  H2Peer small(test::h2_routes(), options);
  small.greet();
  EXPECT_THAT(small.settings,
              testing::Contains(std::pair<std::uint16_t, std::uint32_t>(test::kMaxConcurrentStreams, 3)));
  for (std::uint32_t id = 1; id <= 5; id += 2) small.write_headers(id, request("GET", "/wait"));
  small.send(
      frame(test::kHeaders, 5, 7, test::indexed_literal("x", "y") + test::block(request("GET", "/wait"))));
  small.write_headers(9, request("GET", "/hello"), false);
  small.want_rst(7, test::kRefusedStream);
  small.want_rst(9, test::kRefusedStream);
  EXPECT_EQ(small.driver.started, 3U);
  small.write_data(9, "on its way");
  small.send(test::rst_stream(1, test::kCancel));
  small.send(frame(test::kHeaders, 5, 11, test::block(request("GET", "/info")) + '\xbe'));
  EXPECT_THAT(small.response(11).body, testing::EndsWith("x=y\n")) << "refused blocks are decoded";
  small.want_alive();
}

// ---- 6.1 DATA, 6.2 HEADERS

TEST_F(Protocol, DataOnStreamZeroIsAnError) {
  peer.send(frame(test::kData, 0, 0, "x"));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, PaddingAsLongAsThePayloadIsAnError) {  // S17
  const std::string fields = test::block(request("GET", "/"));
  const std::vector<std::string> wrong = {
      frame(test::kData, test::kPadded, 1,
            "\x05"
            "data"),
      frame(test::kData, test::kPadded, 1, "\x01"),
      frame(test::kHeaders, test::kPadded | test::kEndHeaders, 3, "\xff" + fields.substr(0, 100))};
  for (const std::string& bytes : wrong) {
    H2Peer other(test::h2_routes());
    other.greet();
    other.write_headers(1, request("POST", "/wait"), false);
    other.send(bytes);
    other.want_goaway(test::kProtocolError);
  }
}

TEST_F(Protocol, StrayPaddedBitsAreIgnored) {  // S17
  peer.send(frame(test::kSettings, test::kPadded, 0, "") + frame(test::kPing, test::kPadded, 0, "padded?!") +
            frame(test::kWindowUpdate, test::kPadded, 0, test::number(100, 4)));
  peer.want_ping_ack("padded?!");
  peer.want_alive();
}

TEST_F(Protocol, HeadersOnStreamZeroAreAnError) {
  peer.send(frame(test::kHeaders, 5, 0, test::block(request("GET", "/"))));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, StreamsThatDependOnThemselvesAreAnError) {
  peer.send(frame(test::kHeaders, 5 | test::kPriorityFlag, 1,
                  test::number(1, 4) + '\x10' + test::block(request("GET", "/"))));
  want_connection_error(test::kProtocolError);
}

// ---- 6.3 PRIORITY, 6.4 RST_STREAM

TEST_F(Protocol, PriorityIsParsedAndNotUsed) {
  peer.send(test::priority(1, 3) + test::priority(3, 0x8000'0001) + test::priority(101, 99));
  peer.want_alive();
  EXPECT_EQ(peer.session->open_streams(), 0U);
}

TEST_F(Protocol, PriorityOnStreamZeroIsAnError) {
  peer.send(test::priority(0, 1));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, PriorityOfAWrongLengthIsAnError) {
  open(1);
  peer.send(frame(test::kPriority, 0, 1, "1234"));
  want_connection_error(test::kFrameSizeError);
}

TEST_F(Protocol, ResetOnStreamZeroIsAnError) {
  peer.send(test::rst_stream(0, test::kCancel));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, ResetOfAWrongLengthIsAnError) {
  open(1);
  peer.send(frame(test::kRstStream, 0, 1, "123"));
  want_connection_error(test::kFrameSizeError);
}

TEST_F(Protocol, UnknownErrorCodesAreHarmless) {
  open(1);
  peer.send(test::rst_stream(1, 0xdeadbeef));
  peer.want_alive();
}

// ---- 6.5 SETTINGS

TEST_F(Protocol, SettingsAreAcknowledgedInOrder) {
  peer.send(test::settings_frame({{test::kInitialWindowSize, 1000}}) + test::ping("between!") +
            test::settings_frame({}));
  EXPECT_EQ(peer.settings_acks, 2U);
  peer.want_alive();
}

TEST_F(Protocol, WrongSettingsAreErrors) {
  const std::vector<std::pair<std::string, std::uint32_t>> wrong = {
      {frame(test::kSettings, 0, 1, ""), test::kProtocolError},
      {frame(test::kSettings, test::kAck, 0, std::string(6, '\0')), test::kFrameSizeError},
      {frame(test::kSettings, 0, 0, "12345"), test::kFrameSizeError},
      {test::settings_frame({{test::kEnablePush, 2}}), test::kProtocolError},
      {test::settings_frame({{test::kInitialWindowSize, 0x8000'0000}}), test::kFlowControlError},
      {test::settings_frame({{test::kMaxFrameSize, 16'383}}), test::kProtocolError},
      {test::settings_frame({{test::kMaxFrameSize, 1 << 24}}), test::kProtocolError}};
  for (const auto& [bytes, code] : wrong) {
    H2Peer other(test::h2_routes());
    other.greet();
    other.send(bytes);
    other.want_goaway(code);
    other.want_finished(http::CloseReason::kProtocol);
  }
}

TEST_F(Protocol, UnknownSettingsAreIgnored) {
  peer.send(test::settings_frame({{0x99, 12}, {test::kMaxFrameSize, 20'000}, {test::kEnablePush, 1}}));
  peer.want_alive();
}

TEST_F(Protocol, AnUnexpectedSettingsAckIsAnError) {
  peer.send(test::settings_ack());
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, ANewInitialWindowThatOverflowsAStreamIsAConnectionError) {  // S3
  const std::string settings = test::settings_frame({{test::kInitialWindowSize, 0x7fff'ffff}});
  for (std::size_t cut = 0; cut <= settings.size(); ++cut) {
    H2Peer other(test::h2_routes());
    other.greet({{test::kInitialWindowSize, 0}});
    other.write_headers(1, request("GET", "/open"));
    other.send(test::window_update(1, 0x7fff'ffff));
    other.send(settings.substr(0, cut));
    other.send(settings.substr(cut));
    other.want_goaway(test::kFlowControlError);
    other.want_finished(http::CloseReason::kProtocol);
  }
}

TEST_F(Protocol, ANewInitialWindowAppliesToOpenStreams) {
  H2Peer other(test::h2_routes());
  other.greet({{test::kInitialWindowSize, 0}});
  for (std::uint32_t id = 1; id < 20; id += 2) other.write_headers(id, request("GET", "/bytes?n=100"));
  EXPECT_EQ(other.response(1).body, "");
  other.send(test::settings_frame({{test::kInitialWindowSize, 100}}));
  for (std::uint32_t id = 1; id < 20; id += 2) EXPECT_TRUE(other.response(id).ended);
  other.want_alive();
}

TEST_F(Protocol, ASmallerCompressionTableIsAnnouncedAndUsed) {
  for (const std::uint32_t size : {0U, 100U, 4096U}) {
    peer.send(test::settings_frame({{test::kHeaderTableSize, size}}));
    const auto id = static_cast<std::uint32_t>(peer.driver.started * 2 + 1);
    peer.write_headers(id, request("GET", "/hello"));  // the peer's decoder checks
    EXPECT_EQ(peer.response(id).status, 200U);
  }
}

// ---- 6.6 - 6.10

TEST_F(Protocol, PushFromAClientIsAnError) {
  open(1);
  peer.send(
      frame(test::kPushPromise, test::kEndHeaders, 1, test::number(2, 4) + test::block(request("GET", "/"))));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, PingsAreAnswered) {
  peer.send(test::ping("\x01\x02\x03\x04\x05\x06\x07\x08"));
  peer.want_ping_ack("\x01\x02\x03\x04\x05\x06\x07\x08");
}

TEST_F(Protocol, WrongPingsAreErrors) {
  peer.send(frame(test::kPing, 0, 0, "1234567"));
  want_connection_error(test::kFrameSizeError);
  H2Peer other(test::h2_routes());
  other.greet();
  other.send(frame(test::kPing, 0, 1, "12345678"));
  other.want_goaway(test::kProtocolError);
}

TEST_F(Protocol, GoawayOnAStreamIsAnError) {
  peer.send(frame(test::kGoaway, 0, 1, std::string(8, '\0')));
  want_connection_error(test::kProtocolError);
}

TEST_F(Protocol, GoawayFromTheClientEndsTheConnectionOnceItsStreamsAreOver) {
  peer.write_headers(1, request("GET", "/sleep"));
  peer.send(frame(test::kGoaway, 0, 0, std::string(8, '\0') + "debug"));
  EXPECT_FALSE(peer.session->finished());
  peer.advance(std::chrono::seconds(5));
  EXPECT_EQ(peer.response(1).body, "awake\n");
  peer.want_goaway(test::kNoError);
  peer.want_finished(http::CloseReason::kClient);
}

TEST_F(Protocol, AnIncrementOfZeroIsAnError) {  // S5
  open(1);
  peer.send(test::window_update(1, 0));
  want_connection_error(test::kProtocolError);
  H2Peer other(test::h2_routes());
  other.greet();
  other.send(test::window_update(0, 0));
  other.want_goaway(test::kProtocolError);
}

TEST_F(Protocol, WindowUpdateOfAWrongLengthIsAnError) {
  peer.send(frame(test::kWindowUpdate, 0, 0, "123"));
  want_connection_error(test::kFrameSizeError);
}

TEST_F(Protocol, AStreamWindowOverTheMaximumResetsTheStream) {
  open(1);
  peer.send(test::window_update(1, 0x7fff'ffff));
  peer.want_rst(1, test::kFlowControlError);
  peer.want_alive();
}

TEST_F(Protocol, AConnectionWindowOverTheMaximumIsAnError) {
  peer.send(test::window_update(0, 0x7fff'ffff));
  want_connection_error(test::kFlowControlError);
}

TEST_F(Protocol, ContinuationFollowsItsOwnStreamOnly) {
  const std::string fields = test::block(request("GET", "/hello"));
  const std::vector<std::string> wrong = {
      frame(test::kHeaders, test::kEndStream, 1, fields) +
          frame(test::kContinuation, test::kEndHeaders, 3, ""),
      frame(test::kHeaders, test::kEndStream, 1, fields) + test::ping("12345678"),
      frame(test::kHeaders, test::kEndStream, 1, fields) + frame(test::kHeaders, 5, 3, fields),
      frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 1, fields) +
          frame(test::kContinuation, 4, 1, ""),
      frame(test::kContinuation, test::kEndHeaders, 1, fields)};
  for (const std::string& bytes : wrong) {
    H2Peer other(test::h2_routes());
    other.greet();
    other.send(bytes);
    other.want_goaway(test::kProtocolError);
  }
}

// ---- RFC 7541

TEST_F(Protocol, CompressionErrorsEndTheConnection) {
  const std::string good = test::block(request("GET", "/hello"));
  const std::vector<std::pair<const char*, std::string>> wrong = {
      {"index beyond the tables (2.3.3)", good + "\xbf"},
      {"index 0 (6.1)", good + "\x80"},
      {"size update after a field (4.2, S12)", good + '\x20'},
      {"size update above our setting (6.3, S13)", "\x3f\xe2\x1f" + good},
      {"integer without end (5.1)", good + "\xff" + std::string(12, '\xff')},
      {"Huffman padding of more than 7 bits (5.2, S14)", good + std::string("\x00\x01x\x82\xff\xff", 6)},
      {"Huffman padding of zeros (5.2, S14)", good + std::string("\x00\x01x\x81\x18", 5)},
      {"EOS within a Huffman string (5.2, S14)", good + std::string("\x00\x01x\x84\xff\xff\xff\xff", 8)},
      {"string beyond the block", good + std::string("\x00\x01x\x7f", 4)}};
  for (const auto& [what, bytes] : wrong) {
    SCOPED_TRACE(what);
    H2Peer other(test::h2_routes());
    other.greet();
    other.send(frame(test::kHeaders, 5, 1, bytes));
    other.want_goaway(test::kCompressionError);
    other.want_finished(http::CloseReason::kProtocol);
  }
}

TEST_F(Protocol, SizeUpdatesAtTheStartOfABlockAreTaken) {
  peer.send(frame(test::kHeaders, 5, 1, "\x20\x3f\xe1\x1f" + test::block(request("GET", "/hello"))));
  EXPECT_EQ(peer.response(1).status, 200U);
}

TEST_F(Protocol, AnOversizedEntryEmptiesTheTable) {  // 7541 4.4
  http::SessionOptions options;
  H2Peer other(test::h2_routes(), options);
  other.greet();
  other.send(frame(test::kHeaders, 5, 1,
                   test::block(request("GET", "/info")) + test::indexed_literal("a", "b") +
                       test::indexed_literal("huge", std::string(5'000, 'h'))));
  EXPECT_EQ(other.response(1).status, 200U);
  other.send(frame(test::kHeaders, 5, 3, test::block(request("GET", "/info")) + '\xbe'));
  other.want_goaway(test::kCompressionError);
}

}  // namespace
}  // namespace h2park::http2
