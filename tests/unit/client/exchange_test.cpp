#include "client/exchange.hpp"

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

Request post(std::string body) {
  Request request = request_for("http://origin.test/upload", "POST");
  request.body = std::make_shared<const std::string>(std::move(body));
  return request;
}

TEST(Exchange, SendsHostFirstAndTheCallersFieldsAsTheyAre) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  Request request = request_for("http://origin.test:8080/a?b=c#d");
  request.fields = {{"X-Mixed", "One"}, {"accept", "*/*"}};
  house.settle(house.begin(std::move(request)));
  EXPECT_EQ(house.origin.connection(1).received(),
            "GET /a?b=c HTTP/1.1\r\nHost: origin.test:8080\r\nX-Mixed: One\r\naccept: */*\r\n\r\n");
}

TEST(Exchange, ReplacesTheHostThatTheCallerGives) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  Request request = request_for("http://origin.test/");
  request.fields = {{"hOST", "other.test"}};
  house.settle(house.begin(std::move(request)));
  EXPECT_EQ(house.origin.connection(1).received(), "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n");
}

TEST(Exchange, CredentialsOfTheUrlAreSentAsBasicUnlessTheCallerKnowsBetter) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  Request request = request_for("http://user:pass@origin.test/");
  house.settle(house.begin(request));
  request.fields = {{"authorization", "Bearer t"}};
  house.settle(house.begin(request));
  EXPECT_EQ(house.origin.connection(1).received(),
            "GET / HTTP/1.1\r\nHost: origin.test\r\nAuthorization: Basic dXNlcjpwYXNz\r\n\r\n"
            "GET / HTTP/1.1\r\nHost: origin.test\r\nauthorization: Bearer t\r\n\r\n");
}

TEST(Exchange, AsksAProxyInAbsoluteForm) {
  Options options;
  options.proxies = ProxySettings::from_environment([](std::string_view name) -> std::optional<std::string> {
                      if (name == "http_proxy") return "http://me:pw@proxy.test:3128";
                      return std::nullopt;
                    }).value();
  ClientHouse house([](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); },
                    options);
  house.settle(house.begin(request_for("http://origin.test:81/a?b")));
  EXPECT_EQ(house.origin.connection(1).received(),
            "GET http://origin.test:81/a?b HTTP/1.1\r\nHost: origin.test:81\r\n"
            "Proxy-Authorization: Basic bWU6cHc=\r\n\r\n");
}

TEST(Exchange, ReadsExactlyAsMuchOfTheBodyAsIsWanted) {
  for (const std::uint64_t wanted : {0U, 1U, 99U, 100U, 1000U}) {
    ClientHouse house(
        [](OriginConnection& connection, const std::string&) { connection.send(response_of(100)); });
    Fetched& fetched = house.fetch("GET", wanted);
    EXPECT_EQ(fetched.body.size(), std::min<std::uint64_t>(wanted, 100));
    EXPECT_EQ(fetched->body_bytes, fetched.body.size());
    EXPECT_EQ(fetched->drain.bytes, 100 - fetched.body.size());
    EXPECT_EQ(fetched->drain.result, wanted < 100 ? DrainResult::kDrained : DrainResult::kComplete);
  }
}

TEST(Exchange, GivesTheSameForEveryCutOfTheResponse) {
  const std::string response =
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n";
  for (std::size_t cut = 0; cut <= response.size(); ++cut) {
    ClientHouse house([&](OriginConnection& connection, const std::string&) {
      connection.send(response.substr(0, cut));
      connection.send_after(1ms, response.substr(cut));
    });
    Fetched& first = house.fetch();
    house.settle(first);
    EXPECT_FALSE(first->failure) << cut;
    EXPECT_EQ(first.body, "hello world") << cut;
    EXPECT_EQ(first.statuses, (std::vector<unsigned>{103, 200})) << cut;
    EXPECT_EQ(first.trailers, "x-sum=1;") << cut;
    EXPECT_EQ(house.fetch()->connection.requests, 2U) << cut;
  }
}

TEST(Exchange, TimesItsPhases) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send_after(30ms, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
    connection.send_after(70ms, "ok");
  });
  house.origin.dial_time = 10ms;
  const Timings& first = house.settle(house.begin()).timings;
  EXPECT_EQ(first.resolved - first.begin, 0ms);
  EXPECT_EQ(first.connected - first.resolved, 10ms);
  EXPECT_EQ(first.ready - first.begin, 10ms);
  EXPECT_EQ(first.sent - first.ready, 0ms);
  EXPECT_EQ(first.first_byte - first.sent, 30ms);
  EXPECT_EQ(first.end - first.first_byte, 40ms);
  house.advance(5ms);
  const Record& second = house.settle(house.begin());
  EXPECT_EQ(second.timings.ready - second.timings.start, 0ms);
  EXPECT_EQ(second.timings.secured, second.timings.begin);
  EXPECT_EQ(second.connection.idle, 5ms);
  EXPECT_TRUE(second.connection.reused);
  EXPECT_EQ(second.connects, 0U);
}

TEST(Exchange, FirstByteIsOfTheFinalResponse) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send_after(10ms, "HTTP/1.1 102 Processing\r\n\r\n");
    connection.send_after(30ms, response_of(2));
  });
  const Timings& times = house.settle(house.begin()).timings;
  EXPECT_EQ(times.first_byte - times.sent, 30ms);
}

TEST(Exchange, SendsABodyLargerThanTheSocket) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send_after(20ms, response_of(2)); });
  const std::string body(3'000'000, 'b');
  Fetched& fetched = house.begin(post(body));
  EXPECT_FALSE(house.settle(fetched).failure);
  EXPECT_EQ(fetched->upload_bytes, body.size());
  EXPECT_TRUE(house.origin.connection(1).received().ends_with("\r\n\r\n" + body));
}

TEST(Exchange, StopsSendingWhenTheServerHasAnswered) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.stop_reading();
    connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
  });
  Fetched& fetched = house.begin(post(std::string(3'000'000, 'b')));
  house.settle(fetched);
  EXPECT_FALSE(fetched->failure);
  EXPECT_EQ(fetched->status, 413U);
  EXPECT_EQ(fetched->drain.close, CloseReason::kRequestUnsent);
  EXPECT_EQ(house.counts().idle, 0U);
}

TEST(Exchange, ReadsTheAnswerOfAServerThatClosedWithoutReading) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.stop_reading();
    connection.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    connection.close();
  });
  Fetched& fetched = house.begin(post(std::string(3'000'000, 'b')));
  house.settle(fetched);
  EXPECT_EQ(fetched->status, 413U);
  EXPECT_FALSE(fetched->failure);
}

Request expecting(std::string body) {
  Request request = post(std::move(body));
  request.fields = {{"Expect", "100-continue"}};
  return request;
}

TEST(Expectation, BodyFollowsTheServersWord) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send_after(10ms, "HTTP/1.1 100 Continue\r\n\r\n");
    connection.send_after(20ms, response_of(2));
  });
  Fetched& fetched = house.begin(expecting("body"));
  house.advance(9ms);
  EXPECT_TRUE(house.origin.connection(1).received().ends_with("\r\n\r\n"));
  house.advance(1ms);
  EXPECT_TRUE(house.origin.connection(1).received().ends_with("\r\n\r\nbody"));
  EXPECT_FALSE(house.settle(fetched).failure);
  EXPECT_EQ(fetched.statuses, (std::vector<unsigned>{100, 200}));
}

TEST(Expectation, BodyGoesAfterABoundedTimeWithoutAWord) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send_after(2s, response_of(2)); });
  Fetched& fetched = house.begin(expecting("body"));
  house.advance(999ms);
  EXPECT_TRUE(house.origin.connection(1).received().ends_with("\r\n\r\n"));
  house.advance(1ms);
  EXPECT_TRUE(house.origin.connection(1).received().ends_with("body"));
  EXPECT_FALSE(house.settle(fetched).failure);
}

TEST(Expectation, RefusalKeepsTheBody) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  });
  Fetched& fetched = house.begin(expecting("body"));
  house.settle(fetched);
  EXPECT_EQ(fetched->status, 413U);
  EXPECT_TRUE(house.origin.connection(1).received().ends_with("\r\n\r\n"));
  // The server may wait for the body that was announced.
  EXPECT_EQ(fetched->drain.close, CloseReason::kRequestUnsent);
}

TEST(Expectation, OfAServerThatKnowsNoneIsDropped) {
  ClientHouse house([](OriginConnection& connection, const std::string& head) {
    if (head.find("Expect:") == std::string::npos) return connection.send_after(1ms, response_of(2));
    connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 3\r\n\r\nno!");
  });
  Fetched& fetched = house.begin(expecting("body"));
  EXPECT_FALSE(house.settle(fetched).failure);
  EXPECT_EQ(fetched->status, 200U);
  EXPECT_EQ(fetched.body, "xx") << "that of the refusal is not the answer's";
  ASSERT_EQ(fetched.requests.size(), 2U);
  EXPECT_EQ(fetched.requests[1].find("Expect:"), std::string::npos);
  EXPECT_TRUE(house.origin.connection(2).received().ends_with("\r\n\r\nbody"));
}

TEST(Timeouts, WholeRequestIsBoundedInEveryPhase) {
  struct Phase {
    std::string name;
    std::function<void(ClientHouse&)> arrange;
    std::string sends;
  };
  const std::vector<Phase> phases = {
      {"dialling", [](ClientHouse& house) { house.origin.hang = true; }, ""},
      {"waiting", [](ClientHouse&) {}, ""},
      {"head", [](ClientHouse&) {}, "HTTP/1.1 200 O"},
      {"body", [](ClientHouse&) {}, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"}};
  for (const Phase& phase : phases) {
    Options options;
    options.total_timeout = 2s;
    ClientHouse house([&](OriginConnection& connection, const std::string&) { connection.send(phase.sends); },
                      options);
    phase.arrange(house);
    Fetched& fetched = house.begin();
    house.advance(1999ms);
    EXPECT_FALSE(fetched.is_answered()) << phase.name;
    house.advance(1ms);
    ASSERT_TRUE(fetched.is_answered()) << phase.name;
    ASSERT_EQ(fetched->failure->kind, FailureKind::kTimeout) << phase.name;
    EXPECT_THAT(fetched->failure->message, testing::HasSubstr("timed out after 2000 milliseconds"))
        << phase.name;
    EXPECT_EQ(house.counts().busy, 0U);
  }
}

TEST(Timeouts, SendingIsBoundedToo) {
  Options options;
  options.total_timeout = 2s;
  ClientHouse house([](OriginConnection& connection, const std::string&) { connection.stop_reading(); },
                    options);
  Fetched& fetched = house.begin(post(std::string(3'000'000, 'b')));
  house.advance(2s);
  ASSERT_TRUE(fetched.is_answered());
  EXPECT_EQ(fetched->failure->kind, FailureKind::kTimeout);
  EXPECT_EQ(house.closed(CloseReason::kTimedOut), 1U);
}

TEST(Timeouts, ConnectingHasItsOwn) {
  Options options;
  options.connect_timeout = 500ms;
  ClientHouse house([](OriginConnection&, const std::string&) {}, options);
  house.origin.hang = true;
  Fetched& fetched = house.begin();
  house.advance(500ms);
  ASSERT_TRUE(fetched.is_answered());
  EXPECT_EQ(fetched->failure->kind, FailureKind::kTimeout);
  EXPECT_EQ(house.counts().dialling, 0U);
}

struct Broken {
  std::string bytes;
  FailureKind kind;
};

TEST(BrokenResponses, EachHasItsFailure) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Broken> cases = {
      {"", FailureKind::kEmptyReply},
      {"HTTP/1.1 200 OK\r\nConten", FailureKind::kReceive},
      {"SSH-2.0-OpenSSH\r\n\r\n", FailureKind::kBadResponse},
      {ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", FailureKind::kBadResponse},
      {ok + "Content-Length: 5\r\n\r\nhell", FailureKind::kCutShort},
      {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", FailureKind::kCutShort},
      {ok + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n", FailureKind::kReceive},
      {ok + "Name : value\r\n\r\n", FailureKind::kBadResponse},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", FailureKind::kBadResponse},
  };
  for (const Broken& each : cases) {
    ClientHouse house([&](OriginConnection& connection, const std::string&) {
      connection.send(each.bytes);
      connection.close();
    });
    Fetched& fetched = house.fetch();
    ASSERT_TRUE(fetched->failure) << each.bytes;
    EXPECT_EQ(fetched->failure->kind, each.kind) << each.bytes << ": " << fetched->failure->message;
    EXPECT_EQ(fetched.settled, 1);
    EXPECT_EQ(house.counts().idle, 0U);
  }
}

TEST(BrokenResponses, EndlessInformationalOnesAreBounded) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    for (int i = 0; i < 1000; ++i) connection.send("HTTP/1.1 103 Early Hints\r\n\r\n");
  });
  Fetched& fetched = house.fetch();
  ASSERT_TRUE(fetched->failure);
  EXPECT_LT(fetched.statuses.size(), 200U);
}

TEST(Exchange, BodiesThatMustNotBeThereCloseTheConnection) {
  for (const std::string method : {"HEAD", "GET"}) {
    ClientHouse house([&](OriginConnection& connection, const std::string&) {
      connection.send(method == "HEAD"
                          ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
                          : "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nok");
    });
    Fetched& first = house.fetch(method);
    EXPECT_EQ(first.body, "");
    EXPECT_EQ(first->drain.close, CloseReason::kUnsolicitedData);
    EXPECT_EQ(house.fetch(method)->connection.id, 2U);
  }
}

TEST(Exchange, ATunnelIsNoLongerHttp) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  });
  Fetched& fetched = house.fetch("CONNECT");
  EXPECT_EQ(fetched->drain.close, CloseReason::kTunnel);
  EXPECT_EQ(fetched.body, "");
}

TEST(Exchange, OwnRequestFieldsDecideAboutTheConnection) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(response_of(2)); });
  Request closing = request_for("http://origin.test/");
  closing.fields = {{"Connection", "TE, Close"}};
  EXPECT_EQ(house.settle(house.begin(std::move(closing))).drain.close, CloseReason::kConnectionClose);
  Request old = request_for("http://origin.test/");
  old.version = http::Version::kHttp10;
  EXPECT_EQ(house.settle(house.begin(std::move(old))).drain.close, CloseReason::kHttp10);
}

TEST(Exchange, GivingUpClosesTheConnectionAndTellsNobody) {
  ClientHouse house([](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  });
  Fetched& fetched = house.begin();
  house.turn();
  EXPECT_EQ(house.counts().busy, 1U);
  fetched.task = {};
  house.turn();
  EXPECT_EQ(house.counts().busy, 0U);
  EXPECT_TRUE(house.origin.connection(1).is_closed());
  EXPECT_EQ(fetched.settled, 0);
}

}  // namespace
}  // namespace h2park::client
