// Abuse: everything is bounded, and past the budget the client is told to be calm (RFC 9113 10.5).
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using namespace std::chrono_literals;
using test::frame;
using test::H2Peer;
using test::request;

class Floods : public testing::Test {
 protected:
  Floods() { peer.greet(); }
  /// Sends `bytes` again and again; how often until the connection ended.
  int flood(const std::string& bytes, int most = 20'000) {
    int sent = 0;
    while (!peer.session->finished() && sent < most) {
      peer.send(bytes);
      ++sent;
      most_live = std::max(most_live, peer.driver.live());
    }
    return sent;
  }
  void want_calm() {
    peer.want_goaway(test::kEnhanceYourCalm);
    peer.want_finished(http::CloseReason::kCalm);
    EXPECT_EQ(peer.driver.live(), 0U);
  }

  H2Peer peer{test::h2_routes()};
  std::size_t most_live = 0;
};

TEST_F(Floods, OfPingsEnd) {
  EXPECT_LT(flood(test::ping("12345678")), 1'500);
  want_calm();
}

TEST_F(Floods, OfSettingsEnd) {
  EXPECT_LT(flood(test::settings_frame({})), 300);
  want_calm();
}

TEST_F(Floods, OfPrioritiesEnd) {
  EXPECT_LT(flood(test::priority(5, 3)), 1'500);
  want_calm();
}

TEST_F(Floods, OfUnknownFramesEnd) {
  EXPECT_LT(flood(frame(0x77, 0, 0, "")), 1'500);
  want_calm();
}

TEST_F(Floods, OfEmptyDataEnd) {
  peer.write_headers(1, request("POST", "/upload"), false);
  EXPECT_LT(flood(frame(test::kData, 0, 1, "")), 600);
  want_calm();
}

TEST_F(Floods, OfDataThatIsAllPaddingEnd) {
  peer.write_headers(1, request("POST", "/upload"), false);
  EXPECT_LT(flood(frame(test::kData, test::kPadded, 1, std::string("\x02\0\0", 3))), 600);
  want_calm();
}

TEST_F(Floods, OfTinyWindowUpdatesEnd) {
  peer.write_headers(1, request("GET", "/wait"));
  EXPECT_LT(flood(test::window_update(1, 1)), 1'500);
  want_calm();
}

TEST_F(Floods, OfEmptyContinuationsEnd) {  // S6
  peer.send(frame(test::kHeaders, test::kEndStream, 1, test::block(request("GET", "/hello"))));
  EXPECT_LT(flood(frame(test::kContinuation, 0, 1, "")), 20);
  want_calm();
}

TEST_F(Floods, OfContinuationsAfterARefusedHeadEnd) {
  std::string many = test::block(request("GET", "/hello"));
  for (int i = 0; i < 200; ++i) many += test::literal("x", "y");
  peer.send(frame(test::kHeaders, test::kEndStream, 1, many));
  EXPECT_LT(flood(frame(test::kContinuation, 0, 1, test::literal("x", "y"))), 20);
  want_calm();
}

TEST_F(Floods, OfOversizedHeadsEnd) {
  test::FieldList fields = request("GET", "/hello");
  for (int i = 0; i < 101; ++i) fields.emplace_back("x", "y");
  std::uint32_t id = 1;
  while (!peer.session->finished() && id < 5'000) {
    peer.write_headers(id, fields);
    id += 2;
  }
  EXPECT_LT(id, 600U);
  want_calm();
}

TEST_F(Floods, OfMalformedRequestsEnd) {
  std::uint32_t id = 1;
  while (!peer.session->finished() && id < 5'000) {
    peer.write_headers(id, request("GET", "/hello", {{"connection", "close"}}));
    id += 2;
  }
  EXPECT_LT(id, 600U);
  want_calm();
}

TEST_F(Floods, ByRapidResetEnd) {  // S9
  std::uint32_t id = 1;
  std::size_t most = 0;
  while (!peer.session->finished() && id < 200'000) {
    peer.send(frame(test::kHeaders, 5, id, test::block(request("GET", "/stubborn"))) +
              test::rst_stream(id, test::kCancel));
    most = std::max(most, peer.driver.budget.handlers);
    id += 2;
  }
  EXPECT_LT(id, 1'200U);
  EXPECT_LE(most, 250U);
  peer.want_goaway(test::kEnhanceYourCalm);
  peer.want_finished(http::CloseReason::kCalm);
}

TEST_F(Floods, BySlowResetNeverRunMoreHandlersThanStreamsAreAllowed) {  // S9, below the budget
  http::SessionOptions options;
  options.max_streams = 10;
  H2Peer slow(test::h2_routes(), options);
  slow.greet();
  for (std::uint32_t id = 1; id < 2'000; id += 2) {
    slow.write_headers(id, request("GET", "/stubborn"));
    slow.send(test::rst_stream(id, test::kCancel));
    slow.advance(100ms);
    ASSERT_LE(slow.driver.budget.handlers, 10U);
  }
  EXPECT_EQ(slow.driver.started, 10U);
  slow.want_rst(21, test::kRefusedStream);
}

TEST_F(Floods, HeadersAndResetInOnePieceStartNoHandler) {
  std::string bytes;
  for (std::uint32_t id = 1; id < 200; id += 2) {
    bytes += frame(test::kHeaders, 5, id, test::block(request("GET", "/stubborn"))) +
             test::rst_stream(id, test::kCancel);
  }
  peer.send(bytes);
  EXPECT_EQ(peer.driver.started, 0U);
  peer.want_alive();
}

/// S8, MadeYouReset: a valid request, then a frame that makes the server reset it.
class MadeYouReset : public testing::TestWithParam<const char*> {
 protected:
  static std::string trigger(std::string_view how, std::uint32_t id) {
    if (how == "window overflow") return test::window_update(id, 0x7fff'ffff);
    if (how == "zero increment") return test::window_update(id, 0);
    if (how == "data after the end") return frame(test::kData, 0, id, "x");
    if (how == "headers after the end") return frame(test::kHeaders, 5, id, test::block(request("GET", "/")));
    if (how == "short priority") return frame(test::kPriority, 0, id, "1234");
    return "";
  }
};

TEST_P(MadeYouReset, IsBounded) {
  H2Peer peer(test::h2_routes());
  peer.greet();
  std::uint32_t id = 1;
  std::size_t most = 0;
  while (!peer.session->finished() && id < 20'000) {
    peer.send(frame(test::kHeaders, 5, id, test::block(request("GET", "/stubborn"))));
    peer.send(trigger(GetParam(), id));
    most = std::max(most, peer.driver.budget.handlers);
    id += 2;
  }
  EXPECT_LT(id, 1'000U);
  EXPECT_LE(most, 250U);
  EXPECT_TRUE(peer.session->finished());
}

INSTANTIATE_TEST_SUITE_P(S8, MadeYouReset,
                         testing::Values("window overflow", "zero increment", "data after the end",
                                         "headers after the end", "short priority"));

TEST_F(Floods, OfStreamsOverTheLimitEnd) {  // S8
  std::uint32_t id = 1;
  while (!peer.session->finished() && id < 20'000) {
    peer.send(frame(test::kHeaders, 5, id, test::block(request("GET", "/stubborn"))));
    id += 2;
    ASSERT_LE(peer.driver.budget.handlers, 250U);
  }
  EXPECT_LT(id, 3'000U);
  peer.want_goaway(test::kEnhanceYourCalm);
}

TEST_F(Floods, WhoseRepliesNobodyReadsAreBounded) {  // S10
  peer.sink.open(0);
  const std::size_t before = peer.memory.live;
  for (int i = 0; i < 100'000; ++i) {
    peer.send(test::ping("12345678") + test::settings_frame({}));
    ASSERT_LT(peer.memory.live, before + 100'000U);
    if (i % 10 == 9) peer.driver.time.advance(1s);  // slow enough for the budget
  }
  EXPECT_FALSE(peer.session->can_park());
  EXPECT_EQ(peer.driver.live(), 0U);
  peer.sink.open();
  peer.settle();
  want_calm();
}

TEST_F(Floods, OfRefusedStreamsBehindAFullTransportAreBounded) {
  peer.sink.open(0);
  for (std::uint32_t id = 1; id < 50'000; id += 2) {
    peer.send(frame(test::kHeaders, 5, id, test::block(request("GET", "/hello"))));
    ASSERT_LE(peer.session->open_streams(), 250U);
    ASSERT_LT(peer.memory.live, 4'000'000U);
  }
  peer.sink.open();
  peer.settle();
  want_calm();
}

// ---- normal use

TEST_F(Floods, AreNotWhatABrowserDoes) {
  std::uint32_t id = 1;
  for (int page = 0; page < 100; ++page) {
    const std::uint32_t first = id;
    for (int i = 0; i < 100; ++i, id += 2)
      peer.send(test::priority(id, 0) +
                frame(test::kHeaders, 5, id, test::block(request("GET", i % 4 == 0 ? "/wait" : "/hello"))));
    for (std::uint32_t open = first; open < id; open += 8) peer.send(test::rst_stream(open, test::kCancel));
    peer.advance(1s);
  }
  peer.want_alive();
}

TEST_F(Floods, AreNotWhatGrpcDoes) {
  peer.write_headers(1, request("POST", "/upload"), false);
  for (int i = 0; i < 2'000; ++i) {
    peer.send(frame(test::kData, 0, 1, "a message") + test::ping("bdp-ping"));
    peer.advance(20ms);
  }
  peer.want_alive();
}

TEST_F(Floods, AreNotWhatALoadTestDoes) {
  peer.send(test::window_update(0, 1'000'000));
  for (std::uint32_t id = 1; id < 40'000; id += 2)
    peer.send(frame(test::kHeaders, 5, id, test::block(request("GET", "/hello"))));
  peer.want_alive();
  EXPECT_EQ(peer.driver.started, 20'000U);
}

}  // namespace
}  // namespace h2park::http2
