#include "client/redirect.hpp"

#include "client/client.hpp"
#include "client/cookie_jar.hpp"
#include "client/retry.hpp"
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

Request post() {
  Request request = request_for("http://a.test/form", "POST");
  request.body = std::make_shared<const std::string>("a=1");
  request.fields = {{"Content-Type", "application/x-www-form-urlencoded"},
                    {"Authorization", "Basic eA=="},
                    {"cookie", "a=b"},
                    {"X-Own", "1"}};
  return request;
}

TEST(Redirect, MethodFollowsTheStatus) {
  struct Case {
    std::string method;
    unsigned status;
    std::string next;
  };
  for (const Case& each : {Case{"POST", 301, "GET"}, Case{"POST", 302, "GET"}, Case{"POST", 303, "GET"},
                           Case{"POST", 307, "POST"}, Case{"POST", 308, "POST"}, Case{"PUT", 301, "PUT"},
                           Case{"PUT", 303, "GET"}, Case{"HEAD", 303, "HEAD"}, Case{"GET", 302, "GET"}}) {
    Request request = post();
    request.method = each.method;
    const Request next = redirected(request, each.status, "/next", false).value();
    EXPECT_EQ(next.method, each.next) << each.method << each.status;
    EXPECT_EQ(next.body == nullptr, each.next != each.method) << each.method << each.status;
    EXPECT_EQ(next.fields.size(), each.next != each.method ? 3U : 4U);
    EXPECT_EQ(next.url.text(), "http://a.test/next");
  }
}

TEST(Redirect, MethodAskedForByNameStays) {
  Request request = post();
  request.keep_method = true;
  const Request next = redirected(request, 303, "/next", false).value();
  EXPECT_EQ(next.method, "POST");
  EXPECT_NE(next.body, nullptr);
}

TEST(Redirect, SecretsStayAtTheirOrigin) {
  for (const char* elsewhere : {"http://b.test/", "https://a.test/", "http://a.test:81/", "//b.test/"}) {
    const Request next = redirected(post(), 307, elsewhere, false).value();
    for (const auto& [name, value] : next.fields)
      EXPECT_TRUE(name == "Content-Type" || name == "X-Own") << name;
    EXPECT_EQ(redirected(post(), 307, elsewhere, true).value().fields.size(), 4U);
  }
  EXPECT_EQ(redirected(post(), 307, "/same", false).value().fields.size(), 4U);
}

TEST(Redirect, CredentialsOfTheUrlStayAtTheirOrigin) {
  Request request = request_for("http://user:secret@a.test/");
  EXPECT_EQ(redirected(request, 302, "/b", false)->url.password, "secret");
  EXPECT_FALSE(redirected(request, 302, "http://b.test/", false)->url.has_credentials);
}

TEST(Redirect, OtherSchemesAreRefused) {
  for (const char* bad :
       {"ftp://a.test/", "file:///etc/passwd", "javascript:alert(1)", "http://a.test:99999/"}) {
    EXPECT_FALSE(redirected(post(), 302, bad, false)) << bad;
  }
}

std::string moved(const std::string& where, int bytes = 5) {
  return "HTTP/1.1 302 Found\r\nLocation: " + where + "\r\nContent-Length: " + std::to_string(bytes) +
         "\r\n\r\n" + std::string(static_cast<std::size_t>(bytes), 'm');
}

void lead_on(OriginConnection& connection, const std::string& head) {
  if (head.starts_with("GET /end")) return connection.send(response_of(3));
  if (head.starts_with("GET /loop")) return connection.send(moved("/loop"));
  connection.send(moved("/end"));
}

TEST(Redirects, AreFollowedOnTheSameConnection) {
  Options options;
  options.follow_redirects = true;
  ClientHouse house(lead_on, options);
  Fetched& fetched = house.fetch();
  EXPECT_EQ(fetched->status, 200U);
  EXPECT_EQ(fetched->url, "http://origin.test/end");
  EXPECT_EQ(fetched->redirects, 1U);
  EXPECT_EQ(fetched.body, "xxx");  // that of the redirect is drained
  EXPECT_EQ(fetched->connection.requests, 2U);
  EXPECT_EQ(fetched->connects, 1U);
  EXPECT_EQ(house.drains(DrainResult::kDrained), 1U);
  EXPECT_EQ(fetched.settled, 1);
}

TEST(Redirects, CookiesOfOneResponseAreSentWithTheNextRequest) {
  CookieJar jar;
  Options options;
  options.follow_redirects = true;
  options.cookies = &jar;
  ClientHouse house(
      [](OriginConnection& connection, const std::string& head) {
        if (head.starts_with("GET /end")) return connection.send(response_of(3));
        connection.send(
            "HTTP/1.1 302 Found\r\nLocation: /end\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
            "Content-Length: 0\r\n\r\n");
      },
      options);
  Request request = request_for("http://origin.test/");
  request.fields = {{"Cookie", "own=0"}};
  Fetched& fetched = house.begin(std::move(request));
  house.settle(fetched);
  ASSERT_EQ(fetched.requests.size(), 2U);
  EXPECT_THAT(fetched.requests[0], testing::HasSubstr("Cookie: own=0\r\n"));
  EXPECT_THAT(fetched.requests[1], testing::HasSubstr("Cookie: a=1; b=2; own=0\r\n"));
}

TEST(Redirects, AreShownWhenTheyAreNotFollowed) {
  ClientHouse house(lead_on);
  Fetched& fetched = house.fetch();
  EXPECT_EQ(fetched->status, 302U);
  EXPECT_EQ(fetched->redirect_url, "http://origin.test/end");
  EXPECT_EQ(fetched.body, "mmmmm");
}

TEST(Redirects, ToNowhereAreNotFollowed) {
  Options options;
  options.follow_redirects = true;
  ClientHouse house([](OriginConnection& connection, const std::string&) { connection.send(moved("")); },
                    options);
  Fetched& fetched = house.fetch();
  EXPECT_FALSE(fetched->failure);
  EXPECT_EQ(fetched->status, 302U);
  EXPECT_EQ(house.origin.requests(), 1);
}

TEST(Redirects, AreAllCountedInTheBytesOfTheRequest) {
  Options options;
  options.follow_redirects = true;
  ClientHouse house(lead_on, options);
  Fetched& fetched = house.fetch();
  ASSERT_EQ(fetched.requests.size(), 2U);
  EXPECT_EQ(fetched->request_bytes, fetched.requests[0].size() + fetched.requests[1].size());
}

TEST(Redirects, AreBounded) {
  Options options;
  options.follow_redirects = true;
  options.max_redirects = 3;
  ClientHouse house(lead_on, options);
  Fetched& fetched = house.begin(request_for("http://origin.test/loop"));
  house.settle(fetched);
  EXPECT_EQ(fetched->failure->kind, FailureKind::kRedirects);
  EXPECT_EQ(fetched->redirects, 3U);
  EXPECT_EQ(house.origin.requests(), 4);
}

TEST(Redirects, ToABadUrlFail) {
  Options options;
  options.follow_redirects = true;
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) { connection.send(moved("ftp://a.test/")); },
      options);
  EXPECT_EQ(house.fetch()->failure->kind, FailureKind::kBadUrl);
}

Options retrying(unsigned attempts) {
  Options options;
  options.retry.attempts = attempts;
  return options;
}

TEST(Retries, WaitTwiceAsLongEachTime) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) {
        if (connection.requests() < 4)
          return connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
        connection.send(response_of(2));
      },
      retrying(5));
  Fetched& fetched = house.begin();
  for (const auto& [after, requests] :
       {std::pair(0ms, 1), std::pair(999ms, 1), std::pair(1ms, 2), std::pair(1999ms, 2), std::pair(1ms, 3),
        std::pair(3999ms, 3), std::pair(1ms, 4)}) {
    house.advance(after);
    EXPECT_EQ(house.origin.requests(), requests);
  }
  EXPECT_EQ(fetched->status, 200U);
  EXPECT_EQ(fetched->retries, 3U);
}

TEST(Retries, ObeyRetryAfter) {
  ClientHouse house(
      [](OriginConnection& connection, const std::string&) {
        if (connection.requests() > 1) return connection.send(response_of(2));
        connection.send("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
      },
      retrying(1));
  Fetched& fetched = house.begin();
  house.advance(6999ms);
  EXPECT_EQ(house.origin.requests(), 1);
  house.advance(1ms);
  EXPECT_EQ(fetched->status, 200U);
}

TEST(Retries, EndWithTheirNumberOrTheTime) {
  const auto busy = [](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  };
  ClientHouse house(busy, retrying(2));
  EXPECT_EQ(house.fetch()->status, 503U);
  EXPECT_EQ(house.origin.requests(), 3);

  Options options = retrying(10);
  options.total_timeout = 2500ms;
  ClientHouse hasty(busy, options);
  Fetched& fetched = hasty.fetch();
  // After 1 s once; 2 s more would be too late, so it does not wait for them.
  EXPECT_EQ(hasty.origin.requests(), 2);
  EXPECT_EQ(fetched->timings.end - fetched->timings.start, 1s);
}

TEST(Retries, AreForWhatPasses) {
  Record record;
  for (const unsigned status : {408U, 429U, 500U, 502U, 503U, 504U}) {
    record.status = status;
    EXPECT_TRUE(is_transient(record)) << status;
  }
  for (const unsigned status : {200U, 404U, 501U, 505U}) {
    record.status = status;
    EXPECT_FALSE(is_transient(record)) << status;
  }
  record.failure = Failure{FailureKind::kTimeout, ""};
  EXPECT_TRUE(is_transient(record));
  record.failure = Failure{FailureKind::kConnect, ""};
  EXPECT_FALSE(is_transient(record));
}

TEST(Retries, DelayIsBounded) {
  const RetryOptions options;
  const std::chrono::system_clock::time_point wall{std::chrono::seconds(784'111'777)};
  EXPECT_EQ(retry_delay(options, 1, "", wall), 1s);
  EXPECT_EQ(retry_delay(options, 10, "", wall), 512s);
  EXPECT_EQ(retry_delay(options, 4'000'000'000U, "", wall), 10min);
  EXPECT_EQ(retry_delay(options, 1, "Sun, 06 Nov 1994 08:49:47 GMT", wall), 10s);
  EXPECT_EQ(retry_delay(options, 1, "Sun, 06 Nov 1994 08:49:30 GMT", wall), 0s);
  EXPECT_EQ(retry_delay(options, 1, "-5", wall), 1s);
  EXPECT_EQ(retry_delay(options, 1, "soon", wall), 1s);
}

}  // namespace
}  // namespace h2park::client
