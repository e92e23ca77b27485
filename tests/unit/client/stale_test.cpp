// Reused connections that turn out dead, and what is repeated on a fresh one (RFC 9112 9.3.1).
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

// Answers the first request of each connection; what it does with later ones is the test's.
struct StaleHouse : ClientHouse {
  explicit StaleHouse(std::function<void(OriginConnection&)> later, bool tcp = false)
      : ClientHouse([later = std::move(later)](OriginConnection& connection, const std::string&) {
          if (connection.requests() == 1) return connection.send(response_of(2));
          later(connection);
        }) {
    origin.tcp = tcp;
  }
};

TEST(StaleConnection, ClosedWhileIdleIsNotUsed) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  house.fetch();
  house.origin.connection(1).close();
  // No turn in between: the pool has not heard of it yet.
  Fetched& second = house.fetch("POST");
  EXPECT_FALSE(second->failure);
  EXPECT_EQ(house.origin.opened(), 2);
  EXPECT_EQ(to_string(second->connection.miss), "peer_closed");
  EXPECT_EQ(house.closed(CloseReason::kPeerClosed), 1U);
}

TEST(StaleConnection, ResetWhileIdleIsNotUsed) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  house.origin.tcp = true;
  house.fetch();
  house.origin.connection(1).reset();
  Fetched& second = house.fetch("POST");
  EXPECT_FALSE(second->failure);
  EXPECT_EQ(to_string(second->connection.miss), "peer_closed");
}

class DeadOnArrival : public testing::TestWithParam<bool> {
 protected:
  static void die(OriginConnection& connection) { GetParam() ? connection.reset() : connection.close(); }
};

TEST_P(DeadOnArrival, IdempotentRequestIsRepeatedOnAFreshConnection) {
  for (const std::string method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}) {
    StaleHouse house(die, GetParam());
    house.fetch();
    Fetched& second = house.fetch(method, 0);
    EXPECT_FALSE(house.settle(second).failure) << method;
    EXPECT_EQ(house.origin.opened(), 2);
    EXPECT_EQ(house.origin.requests(), 3);
    EXPECT_FALSE(second->connection.reused);
    EXPECT_EQ(to_string(second->connection.miss), "stale");
    EXPECT_EQ(second->connects, 1U);
    EXPECT_EQ(second.requests.size(), 2U);
  }
}

TEST_P(DeadOnArrival, PostIsNotRepeatedAndSaysWhy) {
  StaleHouse house(die, GetParam());
  house.fetch();
  Fetched& second = house.fetch("POST");
  ASSERT_TRUE(second->failure);
  EXPECT_EQ(second->failure->kind, GetParam() ? FailureKind::kReceive : FailureKind::kEmptyReply);
  EXPECT_THAT(second->failure->message, testing::HasSubstr("on a reused connection; POST is not repeated"));
  EXPECT_EQ(house.origin.requests(), 2);
}

TEST_P(DeadOnArrival, RepetitionIsNotRepeated) {
  // The first connection answers once; later ones never.
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    if (connection.number() == 1 && connection.requests() == 1) return connection.send(response_of(2));
    die(connection);
  });
  house.origin.tcp = GetParam();
  house.fetch();
  Fetched& second = house.fetch();
  ASSERT_TRUE(second->failure);
  EXPECT_EQ(house.origin.requests(), 3);
  EXPECT_THAT(second->failure->message, testing::HasSubstr("again on a fresh one"));
}

TEST_P(DeadOnArrival, FirstRequestIsNotRepeated) {
  ClientHouse house([](OriginConnection& connection, const std::string&) { die(connection); });
  house.origin.tcp = GetParam();
  Fetched& only = house.fetch();
  ASSERT_TRUE(only->failure);
  EXPECT_EQ(only->failure->kind, GetParam() ? FailureKind::kReceive : FailureKind::kEmptyReply);
  EXPECT_EQ(house.origin.requests(), 1);
}

INSTANTIATE_TEST_SUITE_P(By, DeadOnArrival, testing::Bool(),
                         [](const auto& how) { return how.param ? "Reset" : "Close"; });

TEST(StaleConnection, NothingIsRepeatedOnceAByteOfTheResponseCame) {
  StaleHouse house([](OriginConnection& connection) {
    connection.send("H");
    connection.close();
  });
  house.fetch();
  Fetched& second = house.fetch();
  ASSERT_TRUE(second->failure);
  EXPECT_EQ(second->failure->kind, FailureKind::kReceive);
  EXPECT_EQ(house.origin.requests(), 2);
  EXPECT_EQ(house.closed(CloseReason::kFailed), 1U);
}

TEST(StaleConnection, RepetitionTakesNoOtherPooledConnection) {
  // Five idle connections, all of them dead with the next request.
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    if (connection.number() > 5) return connection.send(response_of(2));
    if (connection.requests() > 1) return connection.close();
    connection.send_after(1ms, response_of(2));
  });
  for (int i = 0; i < 5; ++i) house.begin();
  house.advance(10ms);
  ASSERT_EQ(house.counts().idle, 5U);
  Fetched& sixth = house.fetch();
  EXPECT_FALSE(sixth->failure);
  EXPECT_EQ(house.origin.requests(), 7);
  EXPECT_EQ(sixth->connection.id, 6U);
  EXPECT_EQ(house.counts().idle, 5U);
}

TEST(StaleConnection, TimeoutAnswerToAReusedConnectionIsStale) {
  StaleHouse house([](OriginConnection& connection) {
    connection.send("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    connection.close();
  });
  house.fetch();
  Fetched& second = house.fetch();
  EXPECT_EQ(second->status, 200U);
  EXPECT_EQ(second.statuses, std::vector<unsigned>{200});
  Fetched& third = house.fetch("POST");
  EXPECT_EQ(third->status, 408U);
}

TEST(UnsolicitedData, InTheSameSegmentEndsTheConnection) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send(response_of(2) + "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });
  Fetched& first = house.fetch();
  EXPECT_EQ(first->status, 200U);
  EXPECT_EQ(first->drain.result, DrainResult::kComplete);
  EXPECT_EQ(first->drain.close, CloseReason::kUnsolicitedData);
  Fetched& second = house.fetch();
  EXPECT_EQ(second->status, 200U);
  EXPECT_EQ(to_string(second->connection.miss), "unsolicited_data");
}

class UnsolicitedLater : public testing::TestWithParam<int> {};

TEST_P(UnsolicitedLater, IsNeverAResponse) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send(response_of(2));
    if (connection.number() > 1) return;
    connection.send_after(std::chrono::milliseconds(GetParam()),
                          "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    connection.close_after(std::chrono::milliseconds(GetParam()));
  });
  house.fetch();
  house.advance(std::chrono::milliseconds(GetParam()));
  Fetched& second = house.fetch();
  EXPECT_EQ(second->status, 200U);
  EXPECT_EQ(to_string(second->connection.miss), "unsolicited_data");
  EXPECT_EQ(house.closed(CloseReason::kUnsolicitedData), 1U);
}

INSTANTIATE_TEST_SUITE_P(Milliseconds, UnsolicitedLater, testing::Values(0, 1, 30));

TEST(UnsolicitedData, FoundOnlyWhenTheConnectionIsTaken) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  house.fetch();
  house.origin.connection(1).send("HTTP/1.1 400 Bad Request\r\n\r\n");
  Fetched& second = house.fetch();
  EXPECT_EQ(second->status, 200U);
  EXPECT_EQ(to_string(second->connection.miss), "unsolicited_data");
}

TEST(UnsolicitedData, ALineEndTooManyIsForgiven) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2) + "\r\n"); });
  house.fetch();
  EXPECT_EQ(house.fetch()->connection.requests, 2U);
  house.origin.connection(1).send("\r\n");
  house.turn();
  EXPECT_EQ(house.fetch()->connection.requests, 3U);
}

}  // namespace
}  // namespace h2park::client
