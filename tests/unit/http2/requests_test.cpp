// How requests reach handlers.
#include "support/h2_peer.hpp"
#include "support/h2_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using test::FieldList;
using test::H2Peer;
using test::request;

class Requests : public testing::Test {
 protected:
  Requests() { peer.greet(); }
  std::string info(const FieldList& fields, bool end_stream = true) {
    id += 2;
    peer.write_headers(id, fields, end_stream);
    return peer.response(id).body;
  }
  void want_malformed(const FieldList& fields) {
    id += 2;
    peer.write_headers(id, fields);
    peer.want_rst(id, test::kProtocolError);
    EXPECT_EQ(peer.driver.started, 0U) << "no handler sees it";
    peer.want_alive();
  }

  H2Peer peer{test::h2_routes()};
  std::uint32_t id = static_cast<std::uint32_t>(-1);
};

TEST_F(Requests, ReachTheHandlerInOneShape) {
  EXPECT_EQ(info(request("GET", "/path?q=1", {{"user-agent", "test"}, {"accept", "*/*"}})),
            "GET\nhttp\nlocalhost\n/path?q=1\n0\nuser-agent=test\naccept=*/*\n");
}

TEST_F(Requests, AreNumberedAndKnowTheirStream) {
  info(request("GET", "/info"));
  peer.write_headers(5, request("GET", "/wait"));
  ASSERT_NE(peer.driver.newest(), nullptr);
  EXPECT_EQ(peer.driver.newest()->number, 2U);
  EXPECT_EQ(peer.driver.newest()->stream_id, 5);
}

TEST_F(Requests, JoinCookieCrumbs) {
  EXPECT_THAT(
      info(request("GET", "/info", {{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}, {"cookie", "c=3"}})),
      testing::EndsWith("x=y\ncookie=a=1; b=2; c=3\n"));
}

TEST_F(Requests, TakeTheAuthorityFromHost) {
  const FieldList fields = {
      {":method", "GET"}, {":scheme", "http"}, {":path", "/info"}, {"host", "example.org"}};
  EXPECT_EQ(info(fields), "GET\nhttp\nexample.org\n/info\n0\n");
}

TEST_F(Requests, MayRepeatTheAuthorityAsHost) {
  EXPECT_EQ(info(request("GET", "/info", {{"host", "LocalHost"}})), "GET\nhttp\nlocalhost\n/info\n0\n");
}

TEST_F(Requests, WithADifferentHostAreMalformed) {
  want_malformed(request("GET", "/info", {{"host", "other"}}));
}

TEST_F(Requests, WithUserinfoAreMalformed) {
  want_malformed({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "user@localhost"}});
}

TEST_F(Requests, WithAnAsteriskAreForOptionsOnly) {
  EXPECT_EQ(info(request("OPTIONS", "*")), "OPTIONS\nhttp\nlocalhost\n*\n0\n");
  peer.driver.started = 0;
  want_malformed(request("GET", "*"));
}

TEST_F(Requests, WithABadTargetAreMalformed) {
  want_malformed(request("GET", ""));
  want_malformed(request("GET", "no-slash"));
  want_malformed(request("GET", "/a#fragment"));
  want_malformed(
      {{":method", "GET"}, {":scheme", "ftp"}, {":path", "no-slash"}, {":authority", "localhost"}});
}

TEST_F(Requests, WithMissingOrDuplicatePseudoFieldsAreMalformed) {
  want_malformed({{":scheme", "http"}, {":path", "/"}, {":authority", "a"}});
  want_malformed({{":method", "GET"}, {":path", "/"}, {":authority", "a"}});
  want_malformed({{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}});
  want_malformed(request("GET", "/", {{":method", "GET"}}));
  want_malformed(
      {{":method", "GET"}, {":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}});
  want_malformed(
      {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":path", "/"}, {":authority", "a"}});
  want_malformed({{":method", "GET"}, {"x", "y"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}});
  want_malformed(
      {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {":status", "200"}});
  want_malformed(
      {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a"}, {":new", "x"}});
}

TEST_F(Requests, WithConnectionSpecificFieldsAreMalformed) {
  for (const char* name : {"connection", "keep-alive", "proxy-connection", "upgrade", "transfer-encoding"}) {
    want_malformed(request("GET", "/", {{name, "x"}}));
  }
  want_malformed(request("GET", "/", {{"te", "gzip"}}));
}

TEST_F(Requests, MayAcceptTrailers) {
  EXPECT_THAT(info(request("GET", "/info", {{"te", "trailers"}})), testing::EndsWith("te=trailers\n"));
}

TEST_F(Requests, WithBadCharactersAreMalformed) {
  want_malformed(request("GET", "/", {{"Upper", "x"}}));
  want_malformed(request("GET", "/", {{"sp ace", "x"}}));
  want_malformed(request("GET", "/", {{"co:lon", "x"}}));
  want_malformed(request("GET", "/", {{"", "x"}}));
  want_malformed(request("GET", "/", {{"x", "line\nfeed"}}));
  want_malformed(request("GET", "/", {{"x", "carriage\rreturn"}}));
  want_malformed(request("GET", "/", {{"x", std::string("n\0l", 3)}}));
  want_malformed(request("GET", "/", {{"x", " leading"}}));
  want_malformed(request("GET", "/", {{"x", "trailing\t"}}));
}

TEST_F(Requests, KnowTheirContentLength) {
  EXPECT_THAT(info(request("POST", "/info"), true), testing::HasSubstr("\n0\n"));
  EXPECT_THAT(info(request("POST", "/info"), false), testing::HasSubstr("\nunknown\n"));
  EXPECT_THAT(info(request("POST", "/info", {{"content-length", "12"}}), false),
              testing::HasSubstr("\n12\n"));
}

TEST_F(Requests, WhoseContentLengthDiffersFromTheirDataAreMalformed) {
  peer.write_headers(1, request("POST", "/upload", {{"content-length", "5"}}), false);
  peer.write_data(1, "four", true);
  peer.want_rst(1, test::kProtocolError);
  peer.write_headers(3, request("POST", "/upload", {{"content-length", "3"}}), false);
  peer.write_data(3, "four");
  peer.want_rst(3, test::kProtocolError);
  peer.write_headers(5, request("POST", "/upload", {{"content-length", "3"}}), true);
  peer.want_rst(5, test::kProtocolError);
  peer.write_headers(7, request("POST", "/upload", {{"content-length", "1"}, {"content-length", "1"}}),
                     false);
  peer.want_rst(7, test::kProtocolError);
  peer.want_alive();
}

TEST_F(Requests, ForATunnelReachTheRouter) {
  EXPECT_EQ(info({{":method", "CONNECT"}, {":authority", "example.org:443"}}),
            "CONNECT\nhttp\nexample.org:443\n\n0\n");
}

TEST_F(Requests, ForATunnelWithSchemeOrPathAreMalformed) {
  want_malformed({{":method", "CONNECT"}, {":authority", "a:1"}, {":path", "/"}});
  want_malformed({{":method", "CONNECT"}, {":authority", "a:1"}, {":scheme", "http"}});
  want_malformed({{":method", "CONNECT"}});
}

TEST_F(Requests, DeliverTheirTrailers) {
  peer.write_headers(1, request("POST", "/echo"), false);
  peer.write_data(1, "body");
  peer.write_headers(1, {{"checksum", "1234"}});
  EXPECT_EQ(peer.response(1).body, "body");
  EXPECT_EQ(peer.response(1).trailers, (FieldList{{"checksum", "1234"}}));
}

TEST_F(Requests, WithMalformedTrailersAreReset) {
  const std::vector<FieldList> malformed = {{{":path", "/"}}, {{"Upper", "x"}}, {{"connection", "close"}}};
  for (const FieldList& trailers : malformed) {
    id += 2;
    peer.write_headers(id, request("POST", "/echo"), false);
    peer.write_headers(id, trailers);
    peer.want_rst(id, test::kProtocolError);
  }
  peer.want_alive();
}

TEST_F(Requests, WithASecondHeadThatDoesNotEndTheStreamAreReset) {
  peer.write_headers(1, request("POST", "/echo"), false);
  peer.write_headers(1, {{"x", "y"}}, false);
  peer.want_rst(1, test::kProtocolError);
  peer.want_alive();
}

TEST_F(Requests, InPaddedFramesWithPriorityAreRead) {
  const std::string fields = test::block(request("POST", "/echo"));
  peer.send(test::frame(test::kHeaders, test::kEndHeaders | test::kPadded | test::kPriorityFlag, 1,
                        '\x03' + test::number(0, 4) + '\x10' + fields + std::string(3, '\0')));
  peer.send(
      test::frame(test::kData, test::kPadded | test::kEndStream, 1, '\x02' + std::string("data") + "\0\0"));
  peer.send(test::frame(test::kData, test::kPadded | test::kEndStream, 1, ""));
  EXPECT_EQ(peer.response(1).status, 200U);
}

TEST_F(Requests, InContinuationFramesAreRead) {
  const std::string fields = test::block(request("GET", "/info", {{"long", std::string(1000, 'l')}}));
  peer.send(test::frame(test::kHeaders, test::kEndStream, 1, fields.substr(0, 10)));
  peer.send(test::frame(test::kContinuation, 0, 1, fields.substr(10, 500)));
  peer.send(test::frame(test::kContinuation, test::kEndHeaders, 1, fields.substr(510)));
  EXPECT_THAT(peer.response(1).body, testing::HasSubstr("long=lll"));
}

// ---- limits

class Limits : public testing::Test {
 protected:
  static http::SessionOptions options() {
    http::SessionOptions options;
    options.max_header_bytes = 4096;
    options.max_header_fields = 10;
    return options;
  }
  Limits() { peer.greet(); }

  H2Peer peer{test::h2_routes(), options()};
};

TEST_F(Limits, AreAnnounced) {
  EXPECT_THAT(peer.settings,
              testing::Contains(std::pair<std::uint16_t, std::uint32_t>(test::kMaxHeaderListSize, 4096)));
  EXPECT_THAT(peer.settings,
              testing::Contains(std::pair<std::uint16_t, std::uint32_t>(test::kMaxConcurrentStreams, 250)));
}

TEST_F(Limits, LetWhatFitsPass) {
  FieldList fields = request("GET", "/info");
  for (int i = 0; i < 10; ++i) fields.emplace_back("x", std::string(300, 'v'));
  peer.write_headers(1, fields);
  EXPECT_EQ(peer.response(1).status, 200U);
}

TEST_F(Limits, AnswerTooManyFieldsWith431) {
  FieldList fields = request("GET", "/info");
  for (int i = 0; i < 11; ++i) fields.emplace_back("x", "v");
  peer.write_headers(1, fields);
  EXPECT_EQ(peer.response(1).status, 431U);
  EXPECT_TRUE(peer.response(1).ended);
  EXPECT_FALSE(peer.response(1).reset);
  EXPECT_EQ(peer.driver.started, 0U);
}

TEST_F(Limits, CountEachFieldWith32BytesMore) {
  // 3,900 bytes of names and values fit; with 32 more for each of the pseudo-fields and this one they do not.
  peer.write_headers(1, request("GET", "/info", {{"x", std::string(3'900, 'v')}}));
  EXPECT_EQ(peer.response(1).status, 431U);
  peer.write_headers(3, request("GET", "/info", {{"x", std::string(3'800, 'v')}}));
  EXPECT_EQ(peer.response(3).status, 200U);
}

TEST_F(Limits, StopAnUploadAfter431) {
  peer.write_headers(1, request("POST", "/upload", {{"x", std::string(5'000, 'v')}}), false);
  EXPECT_EQ(peer.response(1).status, 431U);
  EXPECT_TRUE(peer.response(1).ended);
  peer.want_rst(1, test::kNoError);
  peer.write_data(1, "more", true);
  peer.want_alive();
}

TEST_F(Limits, KeepTheCompressionTablesInStep) {
  // The field that indexes comes after the limit was passed; the next request refers to it.
  std::string fields = test::block(request("GET", "/info", {{"x", std::string(5'000, 'v')}}));
  fields += test::indexed_literal("late", "entry");
  peer.send(test::frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 1, fields));
  EXPECT_EQ(peer.response(1).status, 431U);
  peer.send(test::frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 3,
                        test::block(request("GET", "/info")) + '\xbe'));
  EXPECT_THAT(peer.response(3).body, testing::EndsWith("late=entry\n"));
}

TEST_F(Limits, KeepMemoryFlatWhenOneByteReferencesStandForMuch) {  // S7
  const std::string big = test::indexed_literal("x", std::string(4'000, 'v'));
  peer.send(test::frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 1,
                        test::block(request("GET", "/info")) + big + std::string(10'000, '\xbe')));
  EXPECT_EQ(peer.response(1).status, 431U);
  EXPECT_LT(peer.memory.peak, 64 * 1024U);
  peer.write_headers(3, request("GET", "/hello"));
  EXPECT_EQ(peer.response(3).status, 200U);
}

TEST_F(Limits, KeepMemoryFlatWhenACookieComesInThousandsOfCrumbs) {  // S7
  std::string crumbs = test::indexed_literal("cookie", "a=b");
  peer.send(test::frame(test::kHeaders, test::kEndStream | test::kEndHeaders, 1,
                        test::block(request("GET", "/info")) + crumbs + std::string(15'000, '\xbe')));
  EXPECT_EQ(peer.response(1).status, 431U);
  EXPECT_LT(peer.memory.peak, 64 * 1024U);
}

TEST_F(Limits, CountACookieOnceHoweverManyCrumbs) {
  FieldList fields = request("GET", "/info");
  for (int i = 0; i < 50; ++i) fields.emplace_back("cookie", "a=b");
  peer.write_headers(1, fields);
  EXPECT_EQ(peer.response(1).status, 200U);
}

TEST_F(Limits, HoldForTrailersToo) {
  peer.write_headers(1, request("POST", "/echo"), false);
  FieldList trailers;
  for (int i = 0; i < 11; ++i) trailers.emplace_back("x", "v");
  peer.write_headers(1, trailers);
  peer.want_rst(1, test::kEnhanceYourCalm);
  peer.want_alive();
}

TEST_F(Limits, CountThePartialHeadAsBuffered) {
  peer.send(test::frame(test::kHeaders, test::kEndStream, 1, test::block(request("GET", "/info"))));
  EXPECT_GT(peer.session->buffered_bytes(), 100U);
  peer.send(test::frame(test::kContinuation, test::kEndHeaders, 1, ""));
  EXPECT_EQ(peer.session->buffered_bytes(), 0U);
}

}  // namespace
}  // namespace h2park::http2
