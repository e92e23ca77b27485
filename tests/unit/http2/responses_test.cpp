// What a handler's response looks like to the client.
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using test::FieldList;
using test::H2Peer;
using test::request;

class Responses : public testing::Test {
 protected:
  Responses() { peer.greet(); }
  const test::H2Response& get(std::string_view path, std::string_view method = "GET") {
    id += 2;
    peer.write_headers(id, request(method, path));
    return peer.response(id);
  }

  H2Peer peer{test::h2_routes()};
  std::uint32_t id = static_cast<std::uint32_t>(-1);
};

TEST_F(Responses, CarryStatusFieldsAndBody) {
  const test::H2Response& response = get("/hello");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.fields, (FieldList{{"content-type", "text/plain"},
                                        {"content-length", "6"},
                                        {"date", "Fri, 15 Jan 2027 08:00:00 GMT"},
                                        {"server", "h2park"}}));
  EXPECT_EQ(response.body, "hello\n");
  EXPECT_TRUE(response.ended);
  EXPECT_EQ(response.data_frames, 1U) << "END_STREAM comes with the last byte";
  EXPECT_FALSE(response.reset);
}

TEST_F(Responses, CarryTheTimeOfDay) {
  get("/hello");
  peer.advance(std::chrono::seconds(61));
  EXPECT_EQ(get("/hello").field("date"), "Fri, 15 Jan 2027 08:01:01 GMT");
}

TEST_F(Responses, ToHeadHaveNoBody) {
  const test::H2Response& response = get("/hello", "HEAD");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.field("content-length"), "6");
  EXPECT_TRUE(response.ended);
  EXPECT_EQ(response.data_frames, 0U);
}

TEST_F(Responses, ToHeadEndWithTheirHeadHoweverLongTheHandlerGoesOn) {
  const test::H2Response& response = get("/open", "HEAD");
  EXPECT_TRUE(response.ended);
  EXPECT_EQ(peer.session->open_streams(), 0U);
}

TEST_F(Responses, WithoutContentEndWithTheirHead) {
  for (const char* code : {"204", "304"}) {
    const test::H2Response& response = get(std::string("/status?code=") + code);
    EXPECT_EQ(std::to_string(response.status), code);
    EXPECT_TRUE(response.ended);
    EXPECT_EQ(response.data_frames, 0U);
  }
}

TEST_F(Responses, With204HaveNoContentLength) {
  EXPECT_EQ(get("/status?code=204").field("content-length"), "(none)");
}

TEST_F(Responses, WithABogusStatusBecome500) {
  EXPECT_EQ(get("/status?code=7").status, 500U);
  EXPECT_EQ(get("/status?code=103").status, 500U);
}

TEST_F(Responses, ComeAfterInformationalOnes) {
  const test::H2Response& response = get("/hints");
  EXPECT_EQ(response.informational, (std::vector<unsigned>{103, 103})) << "101 does not exist here";
  EXPECT_EQ(response.informational_fields.at(0), (FieldList{{"link", "</style.css>; rel=preload"}}));
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body, "done");
}

TEST_F(Responses, MayEndWithTrailers) {
  const test::H2Response& response = get("/trailers");
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.trailers, (FieldList{{"grpc-status", "0"}})) << "without the forbidden one";
  EXPECT_TRUE(response.ended);
}

TEST_F(Responses, MayHaveTrailersAndNoBody) {
  const test::H2Response& response = get("/only-trailers");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.data_frames, 0U);
  EXPECT_EQ(response.trailers, (FieldList{{"grpc-status", "5"}}));
}

TEST_F(Responses, LoseTheFieldsThatHttp2Forbids) {
  const test::H2Response& response = get("/forbidden-fields");
  EXPECT_EQ(response.status, 200U);
  for (const char* name : {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
                           "te", "split", ":status"}) {
    EXPECT_EQ(response.field(name), "(none)") << name;
  }
  EXPECT_EQ(response.field("allowed"), "yes");
}

TEST_F(Responses, StreamPieceByPiece) {
  const test::H2Response& response = get("/stream?n=3");
  EXPECT_EQ(response.body, "piece\npiece\npiece\n");
  EXPECT_EQ(response.field("content-length"), "(none)");
  EXPECT_TRUE(response.ended);
}

TEST_F(Responses, FromASourceKnowTheirLength) {
  const test::H2Response& response = get("/source?n=50000");
  EXPECT_EQ(response.field("content-length"), "50000");
  EXPECT_TRUE(response.body == std::string(50'000, 's'));
  EXPECT_TRUE(response.ended);
}

TEST_F(Responses, FromASourceThatFailsAreReset) {
  const test::H2Response& response = get("/broken-source");
  EXPECT_EQ(response.status, 200U);
  EXPECT_FALSE(response.ended);
  peer.want_rst(1, test::kInternalError);
  peer.want_alive();
}

TEST_F(Responses, ShorterOrLongerThanPromisedAreReset) {
  get("/lie?less");
  peer.want_rst(1, test::kInternalError);
  get("/lie?more");
  peer.want_rst(3, test::kInternalError);
  EXPECT_LE(peer.response(3).body.size(), 10U);
  peer.want_alive();
}

TEST_F(Responses, OfAHandlerThatThrowsEarlyAre500) { EXPECT_EQ(get("/throw").status, 500U); }

TEST_F(Responses, OfAHandlerThatThrowsLateAreReset) {
  get("/throw-late");
  peer.want_rst(1, test::kInternalError);
  EXPECT_FALSE(peer.response(1).ended);
  EXPECT_EQ(get("/hello").status, 200U);
}

TEST_F(Responses, MayBeCancelledByTheHandler) {
  get("/rst");
  peer.want_rst(1, test::kCancel);
  peer.want_alive();
}

TEST_F(Responses, WithABigHeadUseContinuation) {
  EXPECT_EQ(get("/big-head?n=60000").field("x-big").size(), 60'000U);
  EXPECT_THAT(peer.order, testing::Contains(std::pair<std::uint8_t, std::uint32_t>(test::kContinuation, 1)));
}

TEST_F(Responses, WithAnAbsurdHeadAreReset) {
  get("/big-head?n=600000");
  peer.want_rst(1, test::kInternalError);
  EXPECT_EQ(get("/hello").status, 200U) << "the compression tables are still in step";
}

TEST_F(Responses, LongerThanBothWindowsFollowThem) {
  EXPECT_EQ(get("/bytes?n=200000").body.size(), 65'535U);
  EXPECT_FALSE(peer.response(1).ended);
  peer.send(test::window_update(1, 500'000));
  EXPECT_EQ(peer.response(1).body.size(), 65'535U) << "the connection's window is closed";
  peer.send(test::window_update(0, 500'000));
  EXPECT_EQ(peer.response(1).body.size(), 200'000U);
  EXPECT_TRUE(peer.response(1).ended);
}

TEST_F(Responses, OfManyStreamsTakeTurns) {
  peer.send(test::settings_frame({{test::kInitialWindowSize, 1'000'000}}));
  peer.receive(test::frame(test::kHeaders, 5, 1, test::block(request("GET", "/source?n=100000"))) +
               test::frame(test::kHeaders, 5, 3, test::block(request("GET", "/source?n=100000"))));
  peer.settle();
  // 64 KiB of connection window: both streams got about half of it.
  EXPECT_GT(peer.response(1).body.size(), 30'000U);
  EXPECT_GT(peer.response(3).body.size(), 30'000U);
}

TEST_F(Responses, OfManyStreamsTakeTurnsWhateverTheClientWishes) {
  peer.send(test::settings_frame({{test::kInitialWindowSize, 1'000'000}}));
  peer.receive(test::frame(test::kHeaders, 5, 1,
                           test::block(request("GET", "/source?n=100000", {{"priority", "u=7"}}))) +
               test::frame(test::kHeaders, 5, 3,
                           test::block(request("GET", "/source?n=100000", {{"priority", "u=0"}}))));
  peer.settle();
  EXPECT_GT(peer.response(1).body.size(), 30'000U);
}

TEST_F(Responses, OfAllStreamsArriveThroughAnyWindow) {
  H2Peer many(test::h2_routes());
  many.greet({{test::kInitialWindowSize, 10}});
  std::string requests;
  for (std::uint32_t stream = 1; stream < 500; stream += 2) {
    requests += test::frame(test::kHeaders, 5, stream, test::block(request("GET", "/bytes?n=100")));
  }
  many.send(requests);
  EXPECT_EQ(many.session->open_streams(), 250U);
  many.send(test::settings_frame({{test::kInitialWindowSize, 0}}));  // windows go negative
  many.send(test::settings_frame({{test::kInitialWindowSize, 60}}));
  for (std::uint32_t stream = 1; stream < 500; stream += 2) {
    ASSERT_EQ(many.response(stream).body.size(), 60U) << stream;
    many.send(test::window_update(stream, 40));
    ASSERT_EQ(many.response(stream).body.size(), 100U) << stream;
    ASSERT_TRUE(many.response(stream).ended);
  }
  EXPECT_EQ(many.session->open_streams(), 0U);
}

// ---- Expect, early answers

TEST_F(Responses, SayContinueWhenTheHandlerWantsTheBody) {
  peer.write_headers(1, request("POST", "/upload", {{"expect", "100-continue"}}), false);
  EXPECT_EQ(peer.response(1).informational, (std::vector<unsigned>{100}));
  peer.write_data(1, "body", true);
  EXPECT_EQ(peer.response(1).body, "4");
}

TEST_F(Responses, DoNotSayContinueWhenTheBodyIsHereOrUnwanted) {
  peer.receive(test::frame(test::kHeaders, test::kEndHeaders, 1,
                           test::block(request("POST", "/upload", {{"expect", "100-continue"}}))) +
               test::frame(test::kData, test::kEndStream, 1, "body"));
  peer.settle();
  EXPECT_TRUE(peer.response(1).informational.empty());
  peer.write_headers(3, request("POST", "/ignore-body", {{"expect", "100-continue"}}), false);
  EXPECT_TRUE(peer.response(3).informational.empty());
  EXPECT_EQ(peer.response(3).status, 413U);
  peer.write_headers(5, request("POST", "/upload"), false);
  EXPECT_TRUE(peer.response(5).informational.empty());
}

TEST_F(Responses, CompleteBeforeTheRequestStopItsUpload) {
  peer.write_headers(1, request("POST", "/ignore-body"), false);
  EXPECT_EQ(peer.response(1).body, "too large\n");
  EXPECT_TRUE(peer.response(1).ended);
  peer.want_rst(1, test::kNoError);
  peer.write_data(1, std::string(10'000, 'x'));
  peer.write_headers(1, {{"trailer", "x"}});
  peer.want_alive();
  peer.write_headers(3, request("GET", "/hello"));
  EXPECT_EQ(peer.response(3).status, 200U);
}

TEST_F(Responses, AreNotResetWhenTheRequestIsComplete) {
  peer.write_headers(1, request("POST", "/echo"), false);
  peer.write_data(1, "all", true);
  EXPECT_FALSE(peer.response(1).reset);
}

// ---- a transport that is full

TEST_F(Responses, WaitForTheTransport) {
  peer.send(test::settings_frame({{test::kInitialWindowSize, 1'000'000}}));
  peer.send(test::window_update(0, 1'000'000));
  peer.sink.open(20'000);
  get("/source?n=300000");
  const std::size_t first = peer.response(1).body.size();
  EXPECT_GT(first, 10'000U);
  EXPECT_LT(first, 40'000U);
  EXPECT_TRUE(peer.session->has_output());
  EXPECT_FALSE(peer.session->can_park());
  peer.settle();
  EXPECT_EQ(peer.response(1).body.size(), first);
  peer.sink.open(20'000);
  peer.settle();
  EXPECT_GT(peer.response(1).body.size(), first);
  peer.sink.open();
  peer.settle();
  EXPECT_EQ(peer.response(1).body.size(), 300'000U);
  EXPECT_FALSE(peer.session->has_output());
}

TEST_F(Responses, BoundWhatABlockedConnectionQueues) {
  peer.sink.open(0);
  for (int i = 0; i < 50; ++i) get("/bytes?n=1000000");
  EXPECT_LE(peer.driver.budget.queued, http::OutputBudget::kLimit);
  EXPECT_LT(peer.memory.live, 2'000'000U);
  peer.sink.open();
}

TEST_F(Responses, ToAClientThatResetsAreAbandoned) {
  get("/wait");
  EXPECT_EQ(peer.driver.live(), 1U);
  peer.send(test::rst_stream(1, test::kCancel));
  EXPECT_EQ(peer.driver.live(), 0U);
  EXPECT_EQ(peer.session->open_streams(), 0U);
  peer.want_alive();
  EXPECT_FALSE(peer.response(1).reset) << "RST_STREAM does not answer RST_STREAM (RFC 9113 5.4.2)";
}

}  // namespace
}  // namespace h2park::http2
