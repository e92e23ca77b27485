#include "client/drain.hpp"

#include "client/client.hpp"
#include "support/client_house.hpp"

#include <gtest/gtest.h>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;
using test::ClientHouse;
using test::Fetched;
using test::OriginConnection;
using test::response_of;

const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
const std::string kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(Drain, WhatIsThereIsTakenWithoutWaiting) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(100)); });
  Fetched& fetched = house.begin("GET", 0);
  house.turn();
  // Idle before the caller could ask for more: no turn of the reactor lies between.
  EXPECT_TRUE(fetched.is_answered());
  EXPECT_EQ(fetched.settled, 1);
  EXPECT_EQ(fetched->drain.time, 0ms);
  EXPECT_EQ(fetched->drain.bytes, 100U);
}

TEST(Drain, CallerIsNotHeldUp) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send(kHead + "12345");
    connection.send_after(30ms, "67890");
  });
  Fetched& fetched = house.begin("GET", 0);
  house.turn();
  EXPECT_TRUE(fetched.is_answered());
  EXPECT_EQ(fetched.settled, 0);
  house.advance(30ms);
  EXPECT_EQ(fetched.settled, 1);
  EXPECT_EQ(fetched->drain.result, DrainResult::kDrained);
  EXPECT_EQ(fetched->drain.bytes, 10U);
  EXPECT_EQ(fetched->drain.time, 30ms);
  EXPECT_EQ(fetched->timings.end - fetched->timings.start, 0ms);
}

TEST(Drain, EndsAtItsTime) {
  for (const Duration bound : {50ms, 10ms, 0ms}) {
    Options options;
    options.drain.time = bound;
    ClientHouse house(
        [](OriginConnection& connection, const std::string&) { connection.send(kHead + "12345"); }, options);
    Fetched& fetched = house.begin("GET", 0);
    house.turn();
    if (bound > 0ms) {
      house.advance(bound - 1us);
      EXPECT_EQ(fetched.settled, 0);
      house.advance(1us);
    }
    ASSERT_EQ(fetched.settled, 1);
    EXPECT_EQ(fetched->drain.result, DrainResult::kTimedOut);
    EXPECT_EQ(fetched->drain.close, CloseReason::kDrainTimedOut);
    EXPECT_TRUE(house.origin.connection(1).is_closed());
  }
}

TEST(Drain, EndsAtItsBytes) {
  struct Case {
    std::uint64_t bound;
    std::size_t body;
    DrainResult length;
    DrainResult chunked;
  };
  for (const Case& each : {Case{1000, 1000, DrainResult::kDrained, DrainResult::kDrained},
                           Case{1000, 1001, DrainResult::kOverLimitKnown, DrainResult::kOverLimit},
                           Case{0, 1, DrainResult::kOverLimitKnown, DrainResult::kOverLimit},
                           Case{kReadAll, 5'000'000, DrainResult::kDrained, DrainResult::kDrained}}) {
    Options options;
    options.drain.bytes = each.bound;
    for (const bool chunked : {false, true}) {
      ClientHouse house(
          [&](OriginConnection& connection, const std::string&) {
            connection.send(chunked ? test::chunked_response_of(each.body) : response_of(each.body));
          },
          options);
      Fetched& fetched = house.begin("GET", 0);
      EXPECT_EQ(house.settle(fetched).drain.result, chunked ? each.chunked : each.length)
          << each.body << chunked;
    }
  }
}

TEST(Drain, CountsOnlyWhatTheCallerLeft) {
  // 256 KiB more than the bound, of which the caller reads that much.
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(512 * 1024)); });
  Fetched& fetched = house.begin("GET", 256 * 1024);
  EXPECT_EQ(house.settle(fetched).drain.result, DrainResult::kDrained);
  EXPECT_EQ(fetched->drain.bytes, 256U * 1024);
}

TEST(Drain, FailsWhenTheConnectionBreaks) {
  for (const std::string rest : {"", "garbage that is no chunk\r\n"}) {
    ClientHouse house([&](OriginConnection& connection, const std::string&) {
      connection.send(kChunkedHead + "5\r\nhello\r\n");
      connection.send_after(10ms, rest);
      connection.close_after(10ms);
    });
    Fetched& fetched = house.begin("GET", 0);
    house.settle(fetched);
    EXPECT_EQ(fetched->drain.result, DrainResult::kFailed);
    EXPECT_EQ(fetched->drain.close, CloseReason::kDrainFailed);
    // It is the drain's failure, not the caller's.
    EXPECT_FALSE(fetched->failure);
    EXPECT_EQ(fetched->status, 200U);
  }
}

TEST(Drain, TrailersAreNotTheCallersAfterItsClose) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send(test::chunked_response_of(10, "X-Sum: 1\r\n"));
  });
  Fetched& closed = house.fetch("GET", 5);
  EXPECT_EQ(closed->drain.result, DrainResult::kDrained);
  EXPECT_EQ(closed.trailers, "");
  EXPECT_EQ(closed.body.size(), 5U);
  EXPECT_EQ(house.fetch().trailers, "x-sum=1;");
}

TEST(Drain, NothingOfItReachesTheNextRequest) {
  // The first response breaks while it is drained; the second must be untouched by it.
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    if (connection.number() == 1) {
      connection.send(kHead + "12345");
      return connection.close_after(10ms);
    }
    connection.send_after(20ms, response_of(2));
  });
  house.fetch("GET", 0);
  Fetched& second = house.begin();
  house.settle(second);
  EXPECT_FALSE(second->failure);
  EXPECT_EQ(second.body, "xx");
}

TEST(Drain, FiveHundredAtOnce) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send(kHead + "12345");
    connection.send_after(std::chrono::milliseconds(connection.number() % 100), "67890");
  });
  for (int i = 0; i < 500; ++i) house.begin("GET", 0);
  house.turn();
  EXPECT_EQ(house.counts().draining, 495U);  // the others' ends came at once
  house.advance(1s);
  EXPECT_EQ(house.counts().draining, 0U);
  // Up to 50 ms in time, the end at 50 ms itself beside the deadline.
  EXPECT_EQ(house.drains(DrainResult::kDrained) + house.drains(DrainResult::kTimedOut), 500U);
  EXPECT_GE(house.drains(DrainResult::kDrained), 250U);
  EXPECT_GE(house.drains(DrainResult::kTimedOut), 245U);
  for (const Fetched& fetched : house.fetches) EXPECT_EQ(fetched.settled, 1);
}

TEST(Drain, EndOfTheClientInTheMiddleOfIt) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(kHead + "12345"); });
  house.fetch("GET", 0);
  EXPECT_EQ(house.counts().draining, 1U);
  house.fetches.clear();
  house.client.reset();
  house.turn();
  EXPECT_TRUE(house.origin.connection(1).is_closed());
}

TEST(Drain, IsCutWhenNobodyWantsToWait) {
  Options options;
  options.drain.time = 1h;
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(kHead + "12345"); }, options);
  Fetched& first = house.begin("GET", 0);
  Fetched& second = house.begin("GET", 0);
  house.turn();
  Task<> finish = house.client->finish();
  EXPECT_FALSE(finish.done());
  EXPECT_EQ(first.settled + second.settled, 0);
  house.client->cut_drains();
  EXPECT_EQ(first.settled + second.settled, 2) << "their records are not lost";
  EXPECT_EQ(first->drain.result, DrainResult::kTimedOut);
  EXPECT_EQ(first->drain.bytes, 5U);
  house.turn();
  EXPECT_TRUE(finish.done());
  EXPECT_EQ(house.closed(CloseReason::kDone), 2U);
}

TEST(Drain, RequestsThatWaitAreServedInTheirOrder) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send(kHead + "12345");
    connection.send_after(10ms, "67890");
  });
  house.fetch("GET", 0);
  house.origin.hang = true;
  Fetched& second = house.begin("GET", 0);
  Fetched& third = house.begin("GET", 0);
  house.advance(10ms);
  EXPECT_TRUE(second.is_answered());
  EXPECT_FALSE(third.is_answered());
  house.advance(10ms);
  EXPECT_TRUE(third.is_answered());
}

}  // namespace
}  // namespace h2park::client
