// Request bodies: flow control, 100-continue, refused uploads, and clients that stop in the middle.
#include "support/h1_peer.hpp"

#include <gtest/gtest.h>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;

std::string post(std::size_t length, std::string_view fields = "") {
  return "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: " + std::to_string(length) + "\r\n" +
         std::string(fields) + "\r\n";
}
constexpr std::string_view kChunked = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
constexpr std::string_view kExpect = "expect: 100-Continue\r\n";
constexpr std::string_view kGet = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

Task<> count_bytes(http::Request& req, http::Responder& res) {
  std::size_t bytes = 0;
  for (;;) {
    const http::Read piece = co_await req.read();
    if (!piece) co_return;
    if (piece->empty()) break;
    bytes += piece->size();
  }
  co_await res.send("text/plain", std::to_string(bytes));
}

Task<> refuse(http::Request&, http::Responder& res) {
  res.status(413);
  co_await res.send("text/plain", "no\n");
}

TEST(Upload, IsReadAsTheHandlerReads) {
  bool may_read = false;
  std::size_t bytes = 0;
  H1Peer h1([&](http::Request& req, http::Responder& res) -> Task<> {
    while (!may_read) co_await res.sleep(1s);
    co_await count_bytes(req, res);
    bytes = req.exchange().body_bytes_sent();
  });
  h1.write(post(1'000'000));
  const std::string piece(10'000, 'b');
  std::size_t sent = 0;
  while (h1.session->wants_input()) {
    h1.write(piece);
    sent += piece.size();
    ASSERT_LE(sent, 80'000u);
  }
  EXPECT_GE(sent, 65'536u);
  EXPECT_EQ(h1.session->deadline(), kNever);  // not the client's fault
  may_read = true;
  h1.advance(1s);
  EXPECT_TRUE(h1.session->wants_input());
  while (sent < 1'000'000) {
    h1.write(piece);
    sent += piece.size();
  }
  h1.want_response(200, "1000000", "POST");
  h1.want_parked();
}

TEST(Upload, OwnsNothingWhileItWaitsForMore) {
  H1Peer h1(count_bytes);
  h1.write(post(10) + "12345");
  h1.want_parked();
  h1.write("67890");
  h1.want_response(200, "10", "POST");
}

TEST(Upload, IsNotParkableWithAPartOfAChunkLine) {
  H1Peer h1(count_bytes);
  h1.write(std::string(kChunked) + "5\r\nhello\r\n1");
  EXPECT_FALSE(h1.session->can_park());
  EXPECT_EQ(h1.session->buffered_bytes(), 3u);
  h1.write("0\r\n0123456789abcdef\r\n0\r\n\r\n");
  h1.want_response(200, "21", "POST");
}

TEST(ExpectContinue, IsAnsweredWhenTheHandlerWantsTheBody) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    co_await res.sleep(5s);
    co_await count_bytes(req, res);
  });
  h1.write(post(5, kExpect));
  h1.want_open();
  EXPECT_EQ(h1.session->deadline(), kNever);
  h1.advance(5s);
  h1.want_informational(100);
  h1.want_parked();
  EXPECT_NE(h1.session->deadline(), kNever);
  h1.write("hello");
  h1.want_response(200, "5", "POST");
  h1.want_parked();
}

TEST(ExpectContinue, IsNotAnsweredOnceTheBodyComes) {
  H1Peer h1(count_bytes);
  h1.write(post(5, kExpect) + "he");
  h1.want_nothing();
  h1.write("llo");
  h1.want_response(200, "5", "POST");
}

TEST(ExpectContinue, IsIgnoredWithoutABodyAndInHttp10) {
  H1Peer empty(count_bytes);
  empty.write(post(0, kExpect));
  empty.want_response(200, "0", "POST");
  empty.want_parked();
  H1Peer old(count_bytes);
  old.write("POST / HTTP/1.0\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n");
  old.want_nothing();
  old.write("hello");
  old.want_response(200, "5", "POST");
}

TEST(ExpectContinue, RefusedWithoutTheBodyClosesTheConnection) {
  H1Peer h1(refuse);
  h1.write(post(5, kExpect));
  EXPECT_EQ(h1.want_response(413, "no\n", "POST").field("connection"), "close");
  h1.want_close(http::CloseReason::kDone, true);
}

TEST(ExpectContinue, RefusedWithTheBodyThereKeepsTheConnection) {
  H1Peer h1(refuse);
  h1.write(post(5, kExpect) + "hello" + std::string(kGet));
  EXPECT_EQ(h1.want_response(413, "no\n", "POST").field("connection"), std::nullopt);
  h1.want_response(413, "no\n", "GET");
  h1.want_parked();
}

TEST(RefusedUpload, ThatIsLargeClosesAndLingers) {
  H1Peer h1(refuse);
  h1.write(post(65'537) + "hello");
  EXPECT_EQ(h1.want_response(413, "no\n", "POST").field("connection"), std::nullopt);
  h1.want_open();  // 65,532 bytes are left: they are drained
  H1Peer larger(refuse);
  larger.write(post(65'537 + 5) + "hello");
  EXPECT_EQ(larger.want_response(413, "no\n", "POST").field("connection"), "close");
  larger.want_close(http::CloseReason::kDone, true);
}

TEST(RefusedUpload, ThatIsSmallIsDrained) {
  H1Peer h1(refuse);
  h1.write(post(20'000) + "hello");
  h1.want_response(413, "no\n", "POST");
  h1.want_parked();
  EXPECT_EQ(h1.driver.live(), 0u);
  h1.write(std::string(19'995, 'x') + std::string(kGet));
  h1.want_response(413, "no\n", "GET");
  h1.want_parked();
}

TEST(RefusedUpload, InChunksClosesAndLingers) {
  H1Peer h1(refuse);
  h1.write(std::string(kChunked) + "5\r\nhello\r\n");
  EXPECT_EQ(h1.want_response(413, "no\n", "POST").field("connection"), "close");
  h1.want_close(http::CloseReason::kDone, true);
}

TEST(RefusedUpload, WhoseDrainStallsIsClosed) {
  H1Peer h1(refuse);
  h1.write(post(20'000) + "hello");
  h1.want_response(413, "no\n", "POST");
  h1.advance(h1.options.idle_timeout - 1s);
  h1.want_open();
  h1.advance(1s);
  h1.want_close(http::CloseReason::kTimeout, false);
}

// A handler that has read some of the body and ends early: nobody could announce the close beforehand.
TEST(RefusedUpload, AfterAStreamedResponseIsDrainedToItsBound) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    const http::Read piece = co_await req.read();
    res.start();
    co_await res.write(*piece);
    co_await res.flush();
    res.end();
  });
  h1.write(std::string(kChunked) + "5\r\nhello\r\n");
  h1.want_response(200, "hello", "POST");
  h1.want_open();
  std::size_t drained = 0;
  while (!h1.session->finished()) {
    h1.write("400\r\n" + std::string(1024, 'x') + "\r\n");
    drained += 1024;
    ASSERT_LE(drained, 70'000u);
  }
  EXPECT_GT(drained, 65'536u);
  h1.want_close(http::CloseReason::kDone, true);
}

TEST(Upload, EndOfInputInTheBodyEndsTheHandler) {
  std::optional<http::BodyError> error;
  H1Peer h1([&](http::Request& req, http::Responder&) -> Task<> {
    for (;;) {
      const http::Read piece = co_await req.read();
      if (!piece) error = piece.error();
      if (!piece || piece->empty()) co_return;
    }
  });
  h1.write(post(10) + "12345");
  h1.half_close();
  EXPECT_EQ(error, http::BodyError::kGone);
  h1.want_close(http::CloseReason::kClient, false);
  EXPECT_EQ(h1.driver.live(), 0u);
}

TEST(Upload, BrokenFramingEndsTheHandler) {
  std::optional<http::BodyError> error;
  H1Peer h1([&](http::Request& req, http::Responder&) -> Task<> {
    for (;;) {
      const http::Read piece = co_await req.read();
      if (!piece) error = piece.error();
      if (!piece || piece->empty()) co_return;
    }
  });
  h1.write(std::string(kChunked) + "5\r\nhello\r\n");
  h1.write("zz\r\n");
  EXPECT_EQ(error, http::BodyError::kMalformed);
  h1.want_response(400);
  h1.want_close(http::CloseReason::kProtocol, true);
}

TEST(Upload, BrokenFramingAfterTheAnswerBeganBreaksTheConnection) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    res.start();
    for (;;) {
      const http::Read piece = co_await req.read();
      if (!piece || piece->empty()) co_return;
      if (!co_await res.write(*piece)) co_return;
    }
  });
  h1.write(std::string(kChunked) + "5\r\nhello\r\n");
  h1.write("zz\r\n");
  EXPECT_TRUE(h1.session->finished());
  EXPECT_NE(h1.unread().find("HTTP/1.1 200"), std::string_view::npos);
  EXPECT_EQ(h1.unread().find("HTTP/1.1 400"), std::string_view::npos);
  EXPECT_FALSE(h1.unread().ends_with("0\r\n\r\n"));
}

TEST(Upload, BrokenFramingDoesNotTakeBackACompleteAnswer) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    co_await req.read();
    co_await res.send("text/plain", "done\n");
  });
  h1.sink.open(0);
  h1.write(std::string(kChunked) + "5\r\nhello\r\n");
  h1.write("zz\r\n");
  h1.sink.open();
  h1.settle();
  EXPECT_EQ(h1.want_response(200, "done\n", "POST").field("connection"), "close");
  h1.want_close(http::CloseReason::kDone, true);
}

TEST(Upload, EndOfInputLeavesACompleteAnswerToBeSent) {
  H1Peer h1(refuse);
  h1.sink.open(0);
  h1.write(post(100'000) + "hello");
  h1.half_close();
  h1.sink.open();
  h1.settle();
  h1.want_response(413, "no\n", "POST");
  h1.want_close(http::CloseReason::kClient, false);
}

}  // namespace
}  // namespace h2park::test
