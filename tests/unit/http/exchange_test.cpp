// Exchange: what handlers wait for, and what ends their waits.
#include "http/exchange.hpp"

#include "support/exchange_driver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace h2park::http {
namespace {

using namespace std::chrono_literals;

// A session that only remembers what was asked of it.
class FakePort final : public ExchangePort {
 public:
  void send_informational(Exchange&, unsigned status, const Fields&) override {
    said += "1xx:" + std::to_string(status) + " ";
  }
  void response_ready(Exchange&) override { said += "head "; }
  void body_ready(Exchange&) override { said += "body "; }
  void body_wanted(Exchange&) override { said += "wanted "; }
  void body_consumed(Exchange&, std::size_t bytes) override {
    said += "consumed:" + std::to_string(bytes) + " ";
  }
  void reset(Exchange& exchange, ResetReason) override {
    said += "reset ";
    exchange.abandon();
  }
  void handler_returned(Exchange&) override { said += "returned "; }

  std::string said;
};

class ExchangeTest : public testing::Test {
 protected:
  Exchange& start(Handler handler, std::string_view method = "GET") {
    driver.handler = std::move(handler);
    auto* exchange = std::pmr::polymorphic_allocator<>(std::pmr::get_default_resource())
                         .new_object<Exchange>(std::pmr::get_default_resource(), port, driver, driver.budget);
    exchange->request().method = method;
    driver.start(*exchange);
    return *exchange;
  }
  /// Takes up to `bytes` as a session does.
  std::string take(Exchange& exchange, std::size_t bytes) {
    std::string out(bytes, '\0');
    out.resize(exchange.take(out));
    driver.run_ready();
    return out;
  }
  void abandon(Exchange& exchange) {
    exchange.abandon();
    driver.run_ready();
  }
  void TearDown() override {
    driver.drop_all();
    EXPECT_EQ(driver.budget.queued, 0u);
  }

  FakePort port;
  test::ExchangeDriver driver{{}};
};

TEST_F(ExchangeTest, AShortAnswerNeedsNoSuspension) {
  Exchange& exchange =
      start([](Request&, Responder& res) -> Task<> { co_await res.send("text/plain", "hello"); });
  EXPECT_TRUE(exchange.handler_done);
  EXPECT_EQ(port.said, "head returned ");
  EXPECT_EQ(exchange.outbound_bytes(), 5u);
  EXPECT_FALSE(exchange.outbound_done());
  EXPECT_EQ(take(exchange, 100), "hello");
  EXPECT_TRUE(exchange.outbound_done());
  EXPECT_EQ(exchange.body_bytes_sent(), 5u);
  EXPECT_EQ(driver.live(), 1u);
  abandon(exchange);
  EXPECT_EQ(driver.live(), 0u);
}

TEST_F(ExchangeTest, AWriteSuspendsAt16KiB) {
  bool written = false;
  const std::string bytes(kStreamQueueBytes, 'a');
  Exchange& exchange = start([&](Request&, Responder& res) -> Task<> {
    co_await res.write(bytes);  // fits exactly
    written = true;
    co_await res.write("b");
    written = false;
  });
  EXPECT_TRUE(written);
  EXPECT_EQ(exchange.outbound_bytes(), kStreamQueueBytes);
  EXPECT_EQ(take(exchange, 1), "a");
  EXPECT_FALSE(written);
  EXPECT_TRUE(exchange.handler_done);
}

TEST_F(ExchangeTest, APendingWriteFollowsAsRoomAppears) {
  std::string bytes(100'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i % 26);
  Exchange& exchange = start([&](Request&, Responder& res) -> Task<> {
    const bool open = co_await res.write(bytes);
    EXPECT_TRUE(open);
    co_await res.write("end");
    res.end();
  });
  std::string got;
  while (!exchange.outbound_done()) {
    EXPECT_LE(exchange.outbound_bytes(), kStreamQueueBytes);
    got += take(exchange, 777);
    ASSERT_LE(got.size(), 100'003u);
  }
  EXPECT_EQ(got, bytes + "end");
  EXPECT_EQ(driver.budget.queued, 0u);
}

TEST_F(ExchangeTest, AllWritesOfAConnectionSuspendAt256KiB) {
  const std::string bytes(20'000, 'x');
  std::vector<Exchange*> exchanges;
  const Handler handler = [&](Request&, Responder& res) -> Task<> {
    co_await res.write(bytes);
    res.end();
  };
  for (int i = 0; i < 20; ++i) exchanges.push_back(&start(handler));
  EXPECT_EQ(driver.budget.queued, OutputBudget::kLimit);
  EXPECT_TRUE(driver.budget.has_line());
  EXPECT_EQ(exchanges[19]->outbound_bytes(), 0u);
  EXPECT_FALSE(exchanges[19]->handler_done);
  // Room for one lets another go on, when the connection asks it to.
  abandon(*exchanges[0]);
  EXPECT_LT(driver.budget.queued, OutputBudget::kLimit);
  exchanges[19]->queue_pending_write();
  driver.run_ready();
  EXPECT_EQ(exchanges[19]->outbound_bytes(), kStreamQueueBytes);
  EXPECT_EQ(driver.budget.queued, OutputBudget::kLimit);
}

TEST_F(ExchangeTest, ALastWriteThatWaitsEndsTheResponseOnlyWhenItIsQueued) {
  const std::string bytes(20'000, 'x');
  Exchange& exchange =
      start([&](Request&, Responder& res) -> Task<> { co_await res.send("text/plain", bytes); });
  EXPECT_FALSE(exchange.response_ended());
  EXPECT_EQ(exchange.response().content_length, 20'000u);
  take(exchange, 10'000);
  EXPECT_TRUE(exchange.response_ended());
  EXPECT_FALSE(exchange.outbound_done());
  take(exchange, 10'000);
  EXPECT_TRUE(exchange.outbound_done());
}

TEST_F(ExchangeTest, ReadingWaitsForABodyAndItsEnd) {
  std::string got;
  Exchange& exchange = start([&](Request& req, Responder&) -> Task<> {
    for (;;) {
      const Read piece = co_await req.read();
      if (!piece || piece->empty()) break;
      got.append(*piece).append("|");
    }
    got += "end";
  });
  EXPECT_EQ(port.said, "wanted ");
  exchange.deliver("ab");
  exchange.deliver("cd");
  EXPECT_EQ(got, "");  // never resumed from inside the session's call
  driver.run_ready();
  EXPECT_EQ(got, "abcd|");
  EXPECT_EQ(port.said, "wanted consumed:4 ");
  exchange.deliver_end();
  driver.run_ready();
  EXPECT_EQ(got, "abcd|end");
}

TEST_F(ExchangeTest, FlushWaitsUntilAllIsTaken) {
  bool flushed = false;
  Exchange& exchange = start([&](Request&, Responder& res) -> Task<> {
    co_await res.write("hello");
    flushed = co_await res.flush();
  });
  take(exchange, 4);
  EXPECT_FALSE(flushed);
  take(exchange, 4);
  EXPECT_TRUE(flushed);
}

TEST_F(ExchangeTest, SleepEndsAtItsTime) {
  bool awake = false;
  Exchange& exchange = start([&](Request&, Responder& res) -> Task<> { awake = co_await res.sleep(5s); });
  EXPECT_EQ(exchange.wakes_at(), driver.time.now() + 5s);
  driver.advance(5s - 1ns);
  driver.run_ready();
  EXPECT_FALSE(awake);
  driver.advance(1ns);
  driver.run_ready();
  EXPECT_TRUE(awake);
  EXPECT_EQ(exchange.wakes_at(), kNever);
}

TEST_F(ExchangeTest, SleepingNoTimeDoesNotSuspend) {
  const Exchange& exchange = start([](Request&, Responder& res) -> Task<> { co_await res.sleep(0s); });
  EXPECT_TRUE(exchange.handler_done);
}

struct Waits {
  const char* name;
  Handler handler;
};

TEST_F(ExchangeTest, AbandonEndsEveryWait) {
  const std::string large(20'000, 'x');
  std::string ended;
  const Waits waits[] = {
      {"read",
       [&](Request& req, Responder&) -> Task<> {
         const Read piece = co_await req.read();
         if (!piece && piece.error() == BodyError::kGone) ended = "read";
       }},
      {"write",
       [&](Request&, Responder& res) -> Task<> {
         const bool open = co_await res.write(large);
         if (!open) ended = "write";
       }},
      {"flush",
       [&](Request&, Responder& res) -> Task<> {
         co_await res.write("x");
         const bool open = co_await res.flush();
         if (!open) ended = "flush";
       }},
      {"sleep",
       [&](Request&, Responder& res) -> Task<> {
         const bool open = co_await res.sleep(1h);
         if (!open) ended = "sleep";
       }},
      {"gone",
       [&](Request&, Responder& res) -> Task<> {
         co_await res.until_gone();
         if (res.gone()) ended = "gone";
       }},
  };
  for (const Waits& wait : waits) {
    ended.clear();
    Exchange& exchange = start(wait.handler);
    EXPECT_FALSE(exchange.handler_done) << wait.name;
    exchange.abandon();
    EXPECT_EQ(ended, "") << wait.name;
    driver.run_ready();
    EXPECT_EQ(ended, wait.name);
    EXPECT_EQ(driver.live(), 0u);
    EXPECT_EQ(driver.budget.queued, 0u);
  }
}

TEST_F(ExchangeTest, NothingWaitsOnceAbandoned) {
  std::string results;
  const std::string large(20'000, 'x');
  Exchange& exchange = start([&](Request& req, Responder& res) -> Task<> {
    co_await res.until_gone();
    const Read piece = co_await req.read();
    results += piece ? "read" : "no ";
    results += co_await res.write(large) ? "written" : "no ";
    results += co_await res.flush() ? "flushed" : "no ";
    results += co_await res.sleep(1h) ? "slept" : "no ";
    res.end();
  });
  port.said.clear();
  abandon(exchange);
  EXPECT_EQ(results, "no no no no ");
  EXPECT_EQ(port.said, "");
  EXPECT_EQ(driver.live(), 0u);
}

TEST_F(ExchangeTest, AMalformedBodyIsSaidToBeOne) {
  std::optional<BodyError> error;
  Exchange& exchange = start([&](Request& req, Responder&) -> Task<> {
    const Read piece = co_await req.read();
    if (!piece) error = piece.error();
  });
  exchange.abandon(BodyError::kMalformed);
  driver.run_ready();
  EXPECT_EQ(error, BodyError::kMalformed);
}

TEST_F(ExchangeTest, ABodyThatWasReadStaysReadWhenTheStreamEnds) {
  bool failed = false;
  Exchange& exchange = start([&](Request& req, Responder& res) -> Task<> {
    co_await req.read();
    co_await res.until_gone();
    const Read end = co_await req.read();
    failed = !end.has_value();
  });
  exchange.deliver("x");
  exchange.deliver_end();
  driver.run_ready();
  abandon(exchange);
  EXPECT_FALSE(failed);
}

TEST_F(ExchangeTest, HeadAnd204And304DiscardTheBody) {
  for (const unsigned status : {200u, 204u, 304u}) {
    const std::string bytes(50'000, 'x');
    Exchange& exchange = start(
        [&](Request&, Responder& res) -> Task<> {
          res.status(status);
          co_await res.write(bytes);
          co_await res.write(bytes);
          res.end();
        },
        status == 200 ? "HEAD" : "GET");
    EXPECT_TRUE(exchange.handler_done);  // never suspended
    EXPECT_TRUE(exchange.bodiless());
    EXPECT_TRUE(exchange.outbound_done());
    EXPECT_EQ(exchange.outbound_bytes(), 0u);
    abandon(exchange);
  }
}

class Digits final : public BodySource {
 public:
  explicit Digits(std::uint64_t bytes) : left_(bytes) {}
  std::size_t read(std::span<char> room) override {
    if (fails) return 0;
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), left_));
    std::memset(room.data(), '7', bytes);
    left_ -= bytes;
    return bytes;
  }
  std::uint64_t left() const override { return left_; }
  bool fails = false;

 private:
  std::uint64_t left_;
};

TEST_F(ExchangeTest, ASourceIsReadAsItIsTakenAndOwnsNoQueue) {
  Exchange& exchange = start([](Request&, Responder& res) -> Task<> {
    res.send_source(std::make_unique<Digits>(1'000));
    co_return;
  });
  EXPECT_EQ(exchange.response().content_length, 1'000u);
  EXPECT_EQ(exchange.outbound_bytes(), 1'000u);
  EXPECT_EQ(driver.budget.queued, 0u);
  EXPECT_EQ(take(exchange, 600), std::string(600, '7'));
  EXPECT_EQ(take(exchange, 600), std::string(400, '7'));
  EXPECT_TRUE(exchange.outbound_done());
  EXPECT_EQ(exchange.body_bytes_sent(), 1'000u);
}

TEST_F(ExchangeTest, ASourceThatFailsGivesNothingThoughSomethingIsLeft) {
  Exchange& exchange = start([](Request&, Responder& res) -> Task<> {
    auto source = std::make_unique<Digits>(10);
    source->fails = true;
    res.send_source(std::move(source));
    co_return;
  });
  std::array<char, 16> room;
  EXPECT_EQ(exchange.take(room), 0u);
  EXPECT_GT(exchange.outbound_bytes(), 0u);
}

TEST_F(ExchangeTest, ASourceIsNotAskedForAHead) {
  Exchange& exchange = start(
      [](Request&, Responder& res) -> Task<> {
        res.send_source(std::make_unique<Digits>(10));
        co_return;
      },
      "HEAD");
  EXPECT_EQ(exchange.response().content_length, 10u);
  EXPECT_TRUE(exchange.outbound_done());
}

TEST_F(ExchangeTest, InformationalAnswersStopAtTheHead) {
  start([](Request&, Responder& res) -> Task<> {
    res.inform(103, Fields());
    res.start();
    res.inform(103, Fields());
    co_return;
  });
  EXPECT_EQ(port.said, "1xx:103 head body returned ");
}

TEST_F(ExchangeTest, AResetEndsItBeforeItReturns) {
  start([](Request&, Responder& res) -> Task<> {
    res.reset(ResetReason::kCancel);
    EXPECT_TRUE(res.gone());
    co_return;
  });
  driver.run_ready();
  EXPECT_EQ(port.said, "reset ");
  EXPECT_EQ(driver.live(), 0u);
}

}  // namespace
}  // namespace h2park::http
