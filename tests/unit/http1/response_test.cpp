// Responses on the wire: framing, persistence, 1xx, trailers, and what handlers can't break.
#include "http/date.hpp"
#include "support/h1_peer.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace h2park::test {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
constexpr std::string_view kGet10 = "GET / HTTP/1.0\r\n\r\n";
constexpr std::string_view kGet10KeepAlive = "GET / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n";

Task<> send_hello(http::Request&, http::Responder& res) { co_await res.send("text/plain", "hello\n"); }

Task<> stream_twice(http::Request&, http::Responder& res) {
  res.start();
  const bool written = co_await res.write("one");
  if (!written || !co_await res.flush()) co_return;
  if (!co_await res.write("three")) co_return;
  res.trailers().add("x-sum", "8");
  res.trailers().add("content-length", "8");
  res.end();
}

TEST(Response, IsAStatusLineFieldsAndABody) {
  H1Peer h1(send_hello);
  h1.write(kGet);
  const std::string date(http::date_text(h1.driver.time.wall()));
  EXPECT_EQ(h1.unread(),
            "HTTP/1.1 200 OK\r\ndate: " + date +
                "\r\nserver: h2park\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n\r\nhello\n");
  EXPECT_EQ(h1.sink.writes, 1u);
  h1.want_response(200, "hello\n", "GET");
  h1.want_parked();
}

TEST(Response, OfUnknownLengthIsChunkedAndMayHaveTrailers) {
  H1Peer h1(stream_twice);
  h1.write(kGet);
  const H1Response response = h1.want_response(200, "onethree", "GET");
  EXPECT_EQ(response.chunks, (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ(response.field("transfer-encoding"), "chunked");
  ASSERT_EQ(response.trailers.size(), 1u);
  EXPECT_EQ(response.trailers[0].first, "x-sum");
  h1.want_parked();
}

TEST(Response, OfUnknownLengthEndsWithTheConnectionInHttp10) {
  H1Peer h1(stream_twice);
  h1.write(kGet10KeepAlive);
  const H1Response response = h1.want_response(200, "onethree", "GET");
  EXPECT_TRUE(response.until_close);
  EXPECT_EQ(response.field("connection"), "close");
  h1.want_close(http::CloseReason::kDone);
}

TEST(Response, ThatIsCompleteAtOnceGetsALength) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    co_await res.write("hello");
    res.end();
  });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(200, "hello", "GET").field("content-length"), "5");
}

TEST(Response, ThatWasNeverStartedIsAnEmpty200) {
  H1Peer h1([](http::Request&, http::Responder&) -> Task<> { co_return; });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(200, "", "GET").field("content-length"), "0");
  h1.want_parked();
}

TEST(Response, ToHeadHasTheLengthAndNoBody) {
  H1Peer h1(send_hello);
  h1.write("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n");
  EXPECT_EQ(h1.want_response(200, "", "HEAD").field("content-length"), "6");
  h1.want_parked();
}

TEST(Response, ToHeadOfAStreamHasNoBodyEither) {
  H1Peer h1(stream_twice);
  h1.write("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n");
  h1.want_response(200, "", "HEAD");
  h1.want_parked();
}

TEST(Response, WithoutContentHasNoLength) {
  for (const unsigned status : {204u, 304u}) {
    H1Peer h1([=](http::Request&, http::Responder& res) -> Task<> {
      res.status(status);
      co_await res.write("not sent");
      res.end();
    });
    h1.write(kGet);
    const H1Response response = h1.want_response(status);
    EXPECT_EQ(response.field("content-length"), std::nullopt);
    EXPECT_EQ(response.field("transfer-encoding"), std::nullopt);
    h1.want_parked();
  }
}

TEST(Response, ResetContentHasNoBody) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.status(205);
    co_await res.send("text/plain", "not sent");
  });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(205, "", "GET").field("content-length"), "0");
  h1.want_parked();
}

TEST(Persistence, FollowsVersionAndConnectionField) {
  struct Case {
    std::string_view head;
    bool stays;
    std::optional<std::string> says;
  };
  const Case cases[] = {
      {kGet, true, std::nullopt},
      {kGet10, false, "close"},
      {kGet10KeepAlive, true, "keep-alive"},
      {"GET / HTTP/1.1\r\nhost: a\r\nconnection: Close\r\n\r\n", false, "close"},
      {"GET / HTTP/1.1\r\nhost: a\r\nconnection: foo , CLOSE,bar\r\n\r\n", false, "close"},
      {"GET / HTTP/1.1\r\nhost: a\r\nconnection: keep-alive\r\nconnection: close\r\n\r\n", false, "close"},
      {"GET / HTTP/1.0\r\nconnection: keep-alive, close\r\n\r\n", false, "close"},
      {"GET / HTTP/1.1\r\nhost: a\r\nproxy-connection: close\r\n\r\n", true, std::nullopt},
      {"CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", false, "close"},
  };
  for (const Case& c : cases) {
    H1Peer h1(send_hello);
    h1.write(c.head);
    EXPECT_EQ(h1.want_response(200, "hello\n", "GET").field("connection"), c.says) << c.head;
    if (c.stays) {
      h1.want_parked();
    } else {
      h1.want_close(http::CloseReason::kDone, false);
    }
  }
}

TEST(HandlerFields, AboutTheConnectionAreDropped) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    for (const char* name :
         {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te"}) {
      res.fields().add(name, "chunked");
    }
    res.fields().add("content-length", "99");
    res.fields().add("x-kept", "yes");
    co_await res.send("text/plain", "hello\n");
  });
  h1.write(kGet);
  const H1Response response = h1.want_response(200, "hello\n", "GET");
  EXPECT_EQ(response.fields.size(), 5u);  // date, server, x-kept, content-type, content-length
  EXPECT_EQ(response.field("x-kept"), "yes");
  EXPECT_EQ(response.field("content-length"), "6");
  h1.want_parked();
}

TEST(HandlerFields, ALengthSetAsAFieldIsTheLength) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.fields().add("content-length", "6");
    res.start();
    co_await res.write("hello\n");
    res.end();
  });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(200, "hello\n", "GET").field("transfer-encoding"), std::nullopt);
}

TEST(HandlerFields, CannotSplitTheResponse) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.fields().add("location", std::string_view("/a\r\nset-cookie: evil=1\r\n\r\n<html>\0", 33));
    res.fields().add("x\r\ny", "1");
    res.fields().add("", "1");
    res.fields().add("x y", "1");
    co_await res.send("text/plain", "hello\n");
  });
  h1.write(kGet);
  const H1Response response = h1.want_response(200, "hello\n", "GET");
  EXPECT_EQ(response.field("location"), "/a  set-cookie: evil=1    <html> ");
  EXPECT_EQ(response.field("set-cookie"), std::nullopt);
  EXPECT_EQ(response.fields.size(), 5u);
  h1.want_parked();
}

TEST(HandlerFields, TheirOwnDateReplacesOurs) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.fields().add("date", "today");
    co_await res.send("", "");
  });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(200).field("date"), "today");
}

TEST(Status, OutsideTheFinalOnesBecomes500) {
  for (const unsigned status : {0u, 99u, 100u, 101u, 1000u}) {
    H1Peer h1([=](http::Request&, http::Responder& res) -> Task<> {
      res.status(status);
      co_await res.send("text/plain", "x");
    });
    h1.write(kGet);
    h1.want_response(500, "x", "GET");
  }
}

TEST(Status, WithoutANameHasAnEmptyReason) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.status(299);
    co_await res.send("", "");
  });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(299).reason, "");
}

TEST(Informational, ComesBeforeTheAnswer) {
  const http::Handler handler = [](http::Request&, http::Responder& res) -> Task<> {
    http::Fields hints;
    hints.add("link", "</a.css>; rel=preload");
    hints.add("connection", "close");
    res.inform(103, hints);
    res.inform(101, hints);
    res.inform(200, hints);
    co_await res.send("text/plain", "hello\n");
  };
  H1Peer h1(handler);
  h1.write(kGet);
  const H1Response hint = h1.want_informational(103);
  EXPECT_EQ(hint.fields.size(), 1u);
  EXPECT_EQ(hint.field("link"), "</a.css>; rel=preload");
  h1.want_response(200, "hello\n", "GET");
  h1.want_parked();

  H1Peer old(handler);
  old.write(kGet10);
  old.want_response(200, "hello\n", "GET");
}

TEST(PromisedLength, IsNeverExceeded) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.content_length(3);
    res.start();
    co_await res.write("onetwo");
    res.end();
  });
  h1.write(kGet);
  h1.want_response(200, "one", "GET");
  h1.want_parked();
}

TEST(PromisedLength, ThatIsNotReachedBreaksTheConnection) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.content_length(9);
    res.start();
    co_await res.write("one");
    res.end();
  });
  h1.write(kGet);
  EXPECT_TRUE(h1.unread().ends_with("\r\n\r\none"));
  EXPECT_TRUE(h1.session->finished());
  EXPECT_FALSE(h1.session->wants_lingering_close());
  EXPECT_EQ(h1.session->close_reason(), http::CloseReason::kError);
}

// Gives what it has in odd pieces.
class Letters final : public http::BodySource {
 public:
  Letters(std::uint64_t bytes, std::uint64_t fails_at) : left_(bytes), fails_at_(fails_at) {}
  std::size_t read(std::span<char> room) override {
    if (given_ >= fails_at_) return 0;
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>({room.size(), left_, 777}));
    std::memset(room.data(), 'x', bytes);
    left_ -= bytes;
    given_ += bytes;
    return bytes;
  }
  std::uint64_t left() const override { return left_; }

 private:
  std::uint64_t left_;
  std::uint64_t fails_at_;
  std::uint64_t given_ = 0;
};

TEST(Source, IsReadAsTheSinkTakesIt) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.send_source(std::make_unique<Letters>(1'000'000, 2'000'000));
    co_return;
  });
  h1.sink.open(10'000);
  h1.write(kGet);
  EXPECT_GE(h1.sink.text.size(), 10'000u);
  EXPECT_LE(h1.sink.text.size(), 10'000u + 9'000u);
  EXPECT_TRUE(h1.session->has_output());
  EXPECT_FALSE(h1.session->can_park());
  h1.sink.open();
  h1.settle();
  EXPECT_EQ(h1.want_response(200, std::string(1'000'000, 'x'), "GET").field("content-length"), "1000000");
  h1.want_parked();
}

TEST(Source, IsChunkedWhenTheResponseWasStartedBefore) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.start();
    res.send_source(std::make_unique<Letters>(5'000, 10'000));
    co_return;
  });
  h1.write(kGet);
  h1.want_response(200, std::string(5'000, 'x'), "GET");
  h1.want_parked();
}

TEST(Source, ThatFailsBreaksTheConnection) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.send_source(std::make_unique<Letters>(5'000, 1'000));
    co_return;
  });
  h1.write(kGet);
  EXPECT_TRUE(h1.session->finished());
  EXPECT_EQ(h1.session->close_reason(), http::CloseReason::kError);
  EXPECT_LT(h1.unread().size(), 5'000u);
  EXPECT_EQ(h1.driver.live(), 0u);
}

TEST(LongBody, SuspendsItsHandlerWhileTheSinkIsBlocked) {
  std::size_t written = 0;
  const std::string piece(10'000, 'p');
  H1Peer h1([&](http::Request&, http::Responder& res) -> Task<> {
    for (int i = 0; i < 100; ++i) {
      if (!co_await res.write(piece)) co_return;
      written += piece.size();
    }
    res.end();
  });
  h1.sink.open(1);
  h1.write(kGet);
  EXPECT_LE(written, 16'384u + 8'448u + piece.size());
  EXPECT_EQ(h1.driver.live(), 1u);
  h1.sink.open();
  h1.settle();
  const H1Response response = h1.want_response(200);
  EXPECT_EQ(response.body.size(), 1'000'000u);
  h1.want_parked();
}

TEST(LongHead, LeavesInPieces) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.fields().add("x", std::string(40'000, 'x'));
    co_await res.send("text/plain", "hello\n");
  });
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(200, "hello\n", "GET").field("x"), std::string(40'000, 'x'));
}

}  // namespace
}  // namespace h2park::test
