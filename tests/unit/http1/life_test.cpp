// Time, the end of a connection, and what an idle one owns.
#include "http1/server_session.hpp"
#include "support/h1_peer.hpp"

#include <gtest/gtest.h>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

Task<> until_told(http::Request&, http::Responder& res) {
  const bool slept = co_await res.sleep(100s);
  if (slept) co_await res.send("text/plain", "late\n");
}

TEST(HeaderTimeout, RunsFromTheFirstByteOfAHead) {
  H1Peer h1;
  h1.advance(60s);
  h1.write("G");
  h1.advance(9s);
  h1.write("ET / HTTP/1.1\r\n");  // a drip does not help
  h1.want_open();
  h1.advance(1s);
  EXPECT_EQ(h1.want_response(408).field("connection"), "close");
  h1.want_close(http::CloseReason::kTimeout);
}

TEST(HeaderTimeout, RunsForTheNextHeadToo) {
  H1Peer h1;
  h1.write(kGet);
  h1.want_response(200);
  h1.advance(60s);
  h1.write("GET / H");
  h1.advance(10s);
  h1.want_response(408);
  h1.want_close(http::CloseReason::kTimeout);
}

TEST(HeaderTimeout, DoesNotRunForAnEmptyLine) {
  H1Peer h1;
  h1.write_sliced("\r\n");
  h1.advance(60s);
  h1.want_open();
  h1.write(kGet);
  h1.want_response(200);
}

TEST(IdleTimeout, ClosesWithoutAWord) {
  H1Peer h1;
  h1.write(kGet);
  h1.want_response(200);
  h1.advance(3min - 1ns);
  h1.want_parked();
  h1.advance(1ns);
  h1.want_close(http::CloseReason::kIdle, false);
}

TEST(IdleTimeout, DoesNotRunWhileAHandlerDoes) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    co_await res.sleep(24h);
    co_await res.send("text/plain", "hello\n");
  });
  h1.write(kGet);
  h1.want_parked();
  EXPECT_EQ(h1.session->deadline(), kNever);
  h1.advance(24h);
  h1.want_response(200, "hello\n", "GET");
}

TEST(BodyTimeout, Answers408) {
  std::optional<http::BodyError> error;
  H1Peer h1([&](http::Request& req, http::Responder&) -> Task<> {
    co_await req.read();
    const http::Read piece = co_await req.read();
    if (!piece) error = piece.error();
  });
  h1.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nh");
  h1.advance(2min);
  h1.want_open();
  h1.advance(1min);
  h1.want_response(408);
  h1.want_close(http::CloseReason::kTimeout);
  EXPECT_EQ(error, http::BodyError::kGone);
}

TEST(BodyTimeout, StartsAnewWithEveryPiece) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    std::string body;
    while (body.size() < 3) {
      const http::Read piece = co_await req.read();
      if (!piece) co_return;
      body.append(*piece);
    }
    co_await res.send("text/plain", body);
  });
  h1.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\n");
  for (const char* piece : {"o", "n", "e"}) {
    h1.advance(2min);
    h1.write(piece);
  }
  h1.want_response(200, "one", "POST");
}

TEST(BodyTimeout, AfterTheAnswerBeganBreaksTheConnection) {
  H1Peer h1([](http::Request& req, http::Responder& res) -> Task<> {
    res.start();
    co_await req.read();
  });
  h1.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n");
  h1.advance(3min);
  EXPECT_TRUE(h1.session->finished());
  EXPECT_EQ(h1.session->close_reason(), http::CloseReason::kTimeout);
}

TEST(Shutdown, EndsAnIdleConnectionAtOnce) {
  H1Peer h1;
  h1.write(kGet);
  h1.want_response(200);
  h1.session->begin_shutdown();
  h1.want_close(http::CloseReason::kShutdown);
}

TEST(Shutdown, LetsARunningRequestFinish) {
  H1Peer h1(until_told);
  h1.write(std::string(kGet) + std::string(kGet));
  h1.session->begin_shutdown();
  EXPECT_FALSE(h1.session->finished());
  h1.advance(100s);
  EXPECT_EQ(h1.want_response(200, "late\n", "GET").field("connection"), "close");
  h1.want_close(http::CloseReason::kShutdown, true);
  EXPECT_EQ(h1.driver.started, 1u);
}

TEST(Shutdown, LetsAHeadThatHasBegunBecomeARequest) {
  H1Peer h1;
  h1.write(kGet);
  h1.want_response(200);
  h1.write("GET / HTTP/1.1\r\n");
  h1.session->begin_shutdown();
  EXPECT_FALSE(h1.session->finished());
  h1.write("host: a\r\n\r\n");
  EXPECT_EQ(h1.want_response(200).field("connection"), "close");
  h1.want_close(http::CloseReason::kShutdown);
}

TEST(Shutdown, AnswersAConnectionThatWasJustAccepted) {
  H1Peer h1;
  h1.session->begin_shutdown();
  EXPECT_FALSE(h1.session->finished());
  h1.write(kGet);
  EXPECT_EQ(h1.want_response(200).field("connection"), "close");
  h1.want_close(http::CloseReason::kShutdown);
}

TEST(Shutdown, IsOverWhenItIsCancelled) {
  bool gone = false;
  H1Peer h1([&](http::Request&, http::Responder& res) -> Task<> {
    co_await res.until_gone();
    gone = true;
  });
  h1.write(kGet);
  h1.session->begin_shutdown();
  h1.session->cancel();
  h1.settle();
  EXPECT_TRUE(gone);
  h1.want_close(http::CloseReason::kShutdown, false);
  EXPECT_EQ(h1.driver.live(), 0u);
}

TEST(Cancel, DropsARequestThatNobodyTook) {
  H1Peer h1;
  h1.session->receive(std::as_bytes(std::span(kGet)));
  h1.session->cancel();
  h1.settle();
  h1.want_close(http::CloseReason::kShutdown, false);
  EXPECT_EQ(h1.driver.started, 0u);
}

TEST(Reset, ClosesTheConnectionWithoutLingering) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    res.reset(http::ResetReason::kCancel);
    co_return;
  });
  h1.write(kGet);
  h1.want_close(http::CloseReason::kDone, false);
  EXPECT_EQ(h1.driver.live(), 0u);
}

TEST(Handler, ThatThrowsBeforeTheHeadGivesA500AndTheConnectionLives) {
  H1Peer h1([](http::Request&, http::Responder&) -> Task<> {
    throw std::runtime_error("bug");
    co_return;
  });
  h1.write(kGet);
  h1.want_response(500);
  h1.want_parked();
}

TEST(Handler, ThatThrowsAfterTheHeadBreaksTheConnection) {
  H1Peer h1([](http::Request&, http::Responder& res) -> Task<> {
    co_await res.write("half");
    throw std::runtime_error("bug");
  });
  h1.write(kGet);
  EXPECT_TRUE(h1.session->finished());
  EXPECT_EQ(h1.session->close_reason(), http::CloseReason::kError);
}

TEST(Client, ThatIsHalfClosedGetsItsAnswer) {
  H1Peer h1(until_told);
  h1.write(kGet);
  h1.half_close();
  h1.want_open();
  EXPECT_FALSE(h1.session->wants_input());
  h1.advance(100s);
  EXPECT_EQ(h1.want_response(200, "late\n", "GET").field("connection"), "close");
  h1.want_close(http::CloseReason::kClient, false);
}

TEST(Client, ThatClosesBetweenRequestsOrInAHead) {
  for (const std::string_view sent :
       {std::string_view(""), std::string_view("GET / HT"), std::string_view("\r\n")}) {
    H1Peer h1;
    h1.write(sent);
    h1.half_close();
    h1.want_close(http::CloseReason::kClient, false);
  }
}

TEST(Session, ForgetsItsExchangeWhenItIsDestroyed) {
  bool gone = false;
  H1Peer h1([&](http::Request&, http::Responder& res) -> Task<> {
    co_await res.until_gone();
    gone = true;
  });
  h1.write(kGet);
  h1.session.reset();
  h1.driver.run_ready();
  EXPECT_TRUE(gone);
  EXPECT_EQ(h1.driver.live(), 0u);
}

// Counts what is taken from it.
class CountingMemory final : public std::pmr::memory_resource {
 public:
  std::size_t blocks = 0;
  std::size_t bytes = 0;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    ++blocks;
    bytes += size;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    --blocks;
    bytes -= size;
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(IdleSession, OwnsOneBlockAndNoBuffer) {
  CountingMemory memory;
  ExchangeDriver driver([](http::Request& req, http::Responder& res) -> Task<> {
    for (;;) {
      const http::Read piece = co_await req.read();
      if (!piece || piece->empty()) break;
    }
    co_await res.send("text/plain", std::string(100'000, 'x'));
  });
  const http::SessionOptions options;
  MemorySink sink;
  const auto feed = [&](http::Session& session, std::string_view bytes) {
    for (const char& byte : bytes) {
      session.receive(std::as_bytes(std::span(&byte, 1)));
      driver.settle(session, sink);
    }
  };
  {
    auto session = http1::make_server_session(&memory, options, driver, driver.budget, false);
    EXPECT_EQ(memory.blocks, 1u);
    EXPECT_LE(memory.bytes, 512u);
    const std::size_t bytes_at_first = memory.bytes;
    feed(*session, kGet);
    feed(*session,
         "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n");
    feed(*session, "GET /" + std::string(5'000, 'a') + " HTTP/1.1\r\nhost: a\r\n\r\n");
    EXPECT_EQ(driver.destroyed, 3u);
    EXPECT_TRUE(session->can_park());
    EXPECT_EQ(memory.blocks, 1u);
    EXPECT_EQ(memory.bytes, bytes_at_first);
  }
  EXPECT_EQ(memory.blocks, 0u);
  EXPECT_EQ(driver.budget.queued, 0u);
}

}  // namespace
}  // namespace h2park::test
