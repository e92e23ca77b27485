#include "client/pool.hpp"

#include "client/client.hpp"
#include "support/client_house.hpp"

#include <gtest/gtest.h>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;
using test::ClientHouse;
using test::Fetched;
using test::OriginConnection;
using test::request_for;
using test::response_of;

void answer(OriginConnection& connection, const std::string&) { connection.send(response_of(2)); }

// The body's end comes when the test sends it.
void begin_answer(OriginConnection& connection, const std::string&) {
  connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
}

TEST(Pool, SaysThatTheFirstConnectionIsTheFirst) {
  ClientHouse house(answer);
  Fetched& first = house.fetch();
  EXPECT_EQ(to_string(first->connection.miss), "first");
  EXPECT_EQ(first->connection.id, 1U);
  EXPECT_EQ(first->connection.requests, 1U);
  EXPECT_FALSE(first->connection.reused);
}

TEST(Pool, KeepsOriginsApart) {
  ClientHouse house(answer);
  for (const char* url :
       {"http://a.test/", "http://b.test/", "http://a.test:8080/", "https://a.test:8080/"}) {
    EXPECT_EQ(to_string(house.settle(house.begin(request_for(url))).connection.miss), "first") << url;
  }
  EXPECT_TRUE(house.settle(house.begin(request_for("http://A.test:80/other"))).connection.reused);
}

TEST(Pool, TakesTheConnectionThatWasUsedLast) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send_after(std::chrono::milliseconds(connection.number()), response_of(2));
  });
  house.begin();
  house.begin();
  house.advance(5ms);
  EXPECT_EQ(house.settle(house.begin()).connection.id, 2U);
}

TEST(Pool, SaysThatAllWereBusy) {
  ClientHouse house(begin_answer);
  house.begin();
  house.turn();
  Fetched& second = house.begin();
  house.turn();
  for (int number : {1, 2}) house.origin.connection(number).send("67890");
  EXPECT_EQ(to_string(house.settle(second).connection.miss), "busy");
}

TEST(Pool, SaysThatOneWasDrainingAndDiallingWasFaster) {
  ClientHouse house(begin_answer);
  house.fetch("GET", 0);
  EXPECT_EQ(house.counts().draining, 1U);
  Fetched& second = house.begin("GET", 0);
  house.turn();
  EXPECT_TRUE(second.is_answered());
  house.advance(60ms);
  EXPECT_EQ(to_string(second->connection.miss), "draining");
}

TEST(Pool, DrainedConnectionIsTakenWhenItIsFasterThanTheDial) {
  ClientHouse house(begin_answer);
  house.fetch("GET", 0);
  house.origin.dial_time = 20ms;
  Fetched& second = house.begin("GET", 0);
  house.advance(5ms);
  EXPECT_FALSE(second.is_answered());
  house.origin.connection(1).send("67890");
  house.turn();
  EXPECT_TRUE(second.is_answered());
  // The dialled one, which nobody waits for any more, stays for the next.
  house.advance(20ms);
  EXPECT_EQ(house.counts().idle, 1U);
  Fetched& third = house.fetch("GET", 0);
  house.advance(60ms);
  EXPECT_EQ(second->connection.id, 1U);
  EXPECT_EQ(third->connection.id, 2U);
  EXPECT_FALSE(third->connection.reused);
  EXPECT_EQ(to_string(third->connection.miss), "draining");
}

TEST(Pool, SpareDialServesTheNextRequestThatNeedsOne) {
  ClientHouse house(begin_answer);
  house.fetch("GET", 0);
  house.origin.dial_time = 20ms;
  house.begin("GET", 0);  // dials, but gets the drained one
  house.advance(5ms);
  house.origin.connection(1).send("67890");
  house.turn();
  Fetched& third = house.begin("GET", 0);
  EXPECT_EQ(house.origin.dials(), 2);
  house.advance(15ms);
  EXPECT_TRUE(third.is_answered());
}

TEST(Pool, EveryWaitingRequestHasADialOfItsOwn) {
  // The first dial fails, after its request was served by the second's; the second request must not be
  // forgotten.
  ClientHouse house(begin_answer);
  house.origin.dial_time = 10ms;
  Fetched& first = house.begin();
  house.advance(5ms);
  Fetched& second = house.begin();
  house.origin.failures.push_back({FailureKind::kConnect, "refused"});
  house.advance(5ms);
  ASSERT_TRUE(first.is_answered());
  EXPECT_EQ(first->failure->message, "refused");
  EXPECT_EQ(first->request_bytes, 0U) << "nothing was sent";
  EXPECT_FALSE(second.is_answered());
  house.advance(5ms);
  house.origin.connection(1).send("67890");
  EXPECT_FALSE(house.settle(second).failure);
}

TEST(Pool, FailedDialFailsTheRequestThatAskedForIt) {
  ClientHouse house(answer);
  house.origin.failures.push_back({FailureKind::kResolve, "Could not resolve host: origin.test"});
  Fetched& fetched = house.fetch();
  EXPECT_EQ(fetched->failure->kind, FailureKind::kResolve);
  EXPECT_EQ(fetched->connection.id, 0U);
  EXPECT_EQ(fetched.settled, 1);
  EXPECT_EQ(house.counts().opened, 0U);
  EXPECT_FALSE(house.fetch()->failure);
}

TEST(Pool, GivingUpWhileWaitingLeavesTheConnectionToOthers) {
  ClientHouse house(answer);
  house.origin.dial_time = 10ms;
  house.begin().task = {};
  house.advance(10ms);
  EXPECT_EQ(house.counts().idle, 1U);
  EXPECT_EQ(house.settle(house.begin()).connection.id, 1U);
}

TEST(Pool, ClosesWhatWasIdleTooLong) {
  Options options;
  options.pool.idle_timeout = 5s;
  ClientHouse house(answer, options);
  house.fetch();
  house.advance(4s);
  house.fetch();
  house.advance(4999ms);
  EXPECT_EQ(house.counts().idle, 1U);
  house.advance(1ms);
  EXPECT_EQ(house.closed(CloseReason::kIdleTimeout), 1U);
  EXPECT_EQ(house.origin.open_now(), 0);
  EXPECT_EQ(to_string(house.fetch()->connection.miss), "idle_timeout");
}

TEST(Pool, KeepsAtMostSoManyIdle) {
  Options options;
  options.pool.max_idle = 2;
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) {
        connection.send_after(std::chrono::milliseconds(connection.number()), response_of(2));
      },
      options);
  for (int i = 0; i < 5; ++i) house.begin();
  house.advance(10ms);
  EXPECT_EQ(house.counts().idle, 2U);
  EXPECT_EQ(house.closed(CloseReason::kMaxIdle), 3U);
  // Those that were idle longest went.
  EXPECT_TRUE(house.origin.connection(3).is_closed());
  EXPECT_FALSE(house.origin.connection(4).is_closed());
}

TEST(Pool, KeepsNoneIfNoneIsAllowed) {
  Options options;
  options.pool.max_idle = 0;
  ClientHouse house(answer, options);
  house.fetch();
  Fetched& second = house.fetch();
  EXPECT_EQ(to_string(second->connection.miss), "max_idle");
  EXPECT_EQ(house.counts().idle, 0U);
}

struct Hint {
  std::string field;
  Duration kept;
};

TEST(KeepAliveHints, TimeoutIsHonouredLessAMargin) {
  for (const Hint& hint :
       {Hint{"timeout=5", 4s}, Hint{"max=7, timeout=2", 1s}, Hint{"timeout=1", 500ms},
        Hint{"timeout=999999999999", 90s}, Hint{"timeout=600", 90s}, Hint{"timeout=x", 90s}}) {
    ClientHouse house([&](OriginConnection& connection, const std::string&) {
      connection.send(response_of(2, "Keep-Alive: " + hint.field + "\r\n"));
    });
    house.fetch();
    house.advance(hint.kept - 1ms);
    EXPECT_EQ(house.counts().idle, 1U) << hint.field;
    house.advance(1ms);
    EXPECT_EQ(house.counts().idle, 0U) << hint.field;
    EXPECT_EQ(house.closed(CloseReason::kKeepAliveTimeout), hint.kept < 90s ? 1U : 0U) << hint.field;
  }
}

TEST(KeepAliveHints, NoTimeAndNoRequestsLeftMeanNow) {
  for (const auto& [field, reason] : {std::pair("timeout=0", CloseReason::kKeepAliveTimeout),
                                      std::pair("timeout=5, max=0", CloseReason::kKeepAliveMax)}) {
    ClientHouse house([&](OriginConnection& connection, const std::string&) {
      connection.send(response_of(2, std::string("Keep-Alive: ") + field + "\r\n"));
    });
    EXPECT_EQ(house.fetch()->drain.close, reason);
    EXPECT_EQ(house.counts().idle, 0U);
  }
}

TEST(Pool, FinishWaitsForDrainsAndClosesTheRest) {
  ClientHouse house(begin_answer);
  Fetched& fetched = house.fetch("GET", 0);
  const Task<> end = house.client->finish();
  house.advance(10ms);
  EXPECT_FALSE(end.done());
  house.origin.connection(1).send("67890");
  house.turn();
  EXPECT_TRUE(end.done());
  EXPECT_EQ(fetched->drain.result, DrainResult::kDrained);
  EXPECT_EQ(house.closed(CloseReason::kDone), 1U);
  EXPECT_EQ(house.origin.open_now(), 0);
}

TEST(Pool, FinishGivesDialsUp) {
  ClientHouse house(answer);
  house.origin.dial_time = 1h;
  house.begin().task = {};
  const Task<> end = house.client->finish();
  house.turn();
  EXPECT_TRUE(end.done());
  EXPECT_EQ(house.counts().dialling, 0U);
}

TEST(Pool, CountsWhatItDid) {
  ClientHouse house(answer);
  for (int i = 0; i < 4; ++i) house.fetch();
  EXPECT_EQ(house.counts().requests, 4U);
  EXPECT_EQ(house.counts().reused, 3U);
  EXPECT_EQ(house.counts().opened, 1U);
}

}  // namespace
}  // namespace h2park::client
