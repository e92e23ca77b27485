// Pipelined requests are answered in order, one at a time (RFC 9112 9.3.2).
#include "support/h1_peer.hpp"

#include <gtest/gtest.h>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;

std::string get(std::string_view path) { return "GET " + std::string(path) + " HTTP/1.1\r\nhost: a\r\n\r\n"; }

// "/3" sleeps three seconds, then says its path.
Task<> sleepy(http::Request& req, http::Responder& res) {
  const int seconds = std::stoi(std::string(req.path().substr(1)));
  if (!co_await res.sleep(std::chrono::seconds(seconds))) co_return;
  co_await res.send("text/plain", req.path());
}

TEST(Pipelining, AnswersInOrderThoughTheFirstIsSlow) {
  H1Peer h1(sleepy);
  h1.write(get("/3") + get("/0") + get("/1"));
  h1.want_nothing();
  EXPECT_EQ(h1.driver.started, 1u);
  h1.advance(3s);
  h1.want_response(200, "/3", "GET");
  h1.want_response(200, "/0", "GET");
  h1.want_nothing();
  h1.advance(1s);
  h1.want_response(200, "/1", "GET");
  h1.want_parked();
}

TEST(Pipelining, AcceptsRequestsInSingleBytesWhileOneRuns) {
  H1Peer h1(sleepy);
  h1.write(get("/1"));
  h1.write_sliced(get("/2"));
  h1.advance(1s);
  h1.want_response(200, "/1", "GET");
  h1.advance(2s);
  h1.want_response(200, "/2", "GET");
  h1.want_parked();
}

TEST(Pipelining, KeepsAPartialRequestForLater) {
  H1Peer h1(sleepy);
  const std::string second = get("/0");
  h1.write(get("/1") + second.substr(0, 10));
  h1.advance(1s);
  h1.want_response(200, "/1", "GET");
  EXPECT_FALSE(h1.session->can_park());
  EXPECT_EQ(h1.session->buffered_bytes(), 10u);
  h1.write(second.substr(10));
  h1.want_response(200, "/0", "GET");
  h1.want_parked();
}

TEST(Pipelining, StopsReadingBeyondItsBound) {
  H1Peer h1(sleepy);
  h1.write(get("/1"));
  EXPECT_TRUE(h1.session->wants_input());
  std::size_t sent = 0;
  while (h1.session->wants_input()) {
    h1.write(get("/0"));
    ++sent;
    ASSERT_LT(sent, 10'000u);
  }
  EXPECT_GE(h1.session->buffered_bytes(), 16'384u);
  EXPECT_LT(h1.session->buffered_bytes(), 16'384u + get("/0").size());
  h1.advance(1s);
  h1.want_response(200, "/1", "GET");
  for (std::size_t i = 0; i < sent; ++i) h1.want_response(200, "/0", "GET");
  EXPECT_TRUE(h1.session->wants_input());
  h1.want_parked();
}

TEST(Pipelining, DoesNotAnswerAClientThatDoesNotRead) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.status(204);
    co_return;
  });
  h1.sink.open(1);
  std::string many;
  for (int i = 0; i < 100; ++i) many += get("/");
  h1.write(many);
  EXPECT_LE(h1.driver.started, 2u);
  EXPECT_TRUE(h1.session->has_output());
  h1.sink.open();
  h1.settle();
  for (int i = 0; i < 100; ++i) h1.want_response(204);
  h1.want_parked();
}

TEST(Pipelining, ServesUploadsBackToBack) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    std::string body;
    for (;;) {
      const http::Read piece = co_await req.read();
      if (!piece || piece->empty()) break;
      body.append(*piece);
    }
    co_await res.send("text/plain", body);
  });
  const std::string with_length = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\none";
  const std::string in_chunks =
      "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n";
  h1.write(with_length + in_chunks + with_length);
  h1.want_response(200, "one", "POST");
  h1.want_response(200, "two", "POST");
  h1.want_response(200, "one", "POST");
  h1.want_parked();
}

TEST(Pipelining, AHalfClosedClientGetsEveryAnswer) {
  H1Peer h1(sleepy);
  h1.write(get("/1") + get("/2") + "GET /incomplete");
  h1.half_close();
  EXPECT_FALSE(h1.session->finished());
  h1.advance(1s);
  h1.want_response(200, "/1", "GET");
  h1.advance(2s);
  h1.want_response(200, "/2", "GET");
  h1.want_close(http::CloseReason::kClient, false);
}

TEST(Pipelining, WhatFollowsConnectionCloseIsDropped) {
  H1Peer h1(sleepy);
  h1.write("GET /0 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n" + get("/0"));
  EXPECT_EQ(h1.want_response(200, "/0", "GET").field("connection"), "close");
  h1.want_close(http::CloseReason::kDone);
  EXPECT_EQ(h1.driver.started, 1u);
}

}  // namespace
}  // namespace h2park::test
