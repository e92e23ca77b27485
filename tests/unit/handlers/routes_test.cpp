#include "handlers/routes.hpp"

#include "handlers/route_accept.hpp"
#include "handlers/routes_builtin.hpp"
#include "support/handler_rig.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace h2park::handlers {
namespace {

using namespace std::chrono_literals;
using test::Answer;
using test::HandlerRig;

constexpr std::uint64_t kMaxBody = 1000;

class RoutesTest : public testing::Test {
 protected:
  static http::Handler handler() {
    Options options;
    options.max_body_bytes = kMaxBody;
    return *make_handler(options, nullptr);
  }
  const Answer& get(std::string_view target, test::FieldList fields = {}) {
    return rig_.ask("GET", target, fields);
  }
  /// 400 with one line that begins with the parameter's name.
  void want_refused(std::string_view target, std::string_view parameter) {
    const Answer& answer = get(target);
    EXPECT_EQ(answer.status, 400U) << target;
    EXPECT_TRUE(answer.body.starts_with(std::string(parameter) + ": ")) << target << " gave " << answer.body;
    EXPECT_EQ(answer.body.find('\n'), answer.body.size() - 1) << target;
  }

  HandlerRig rig_{handler()};
};

TEST_F(RoutesTest, SaysHello) {
  const Answer& answer = get("/hello");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "hello\n");
  EXPECT_EQ(answer.content_length, 6U);
  EXPECT_EQ(answer.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.field("x-request-id"), "");
}

TEST_F(RoutesTest, SendsBackAClientsRequestId) {
  EXPECT_EQ(get("/hello", {{"x-request-id", "mine"}}).field("x-request-id"), "mine");
}

// ---- bodies

TEST_F(RoutesTest, SendsBytesOfAnyNumber) {
  for (const std::uint64_t n : {0ULL, 1ULL, 63ULL, 64ULL, 16383ULL, 16384ULL, 16385ULL, 100'000ULL}) {
    const Answer& answer = get("/bytes/" + std::to_string(n));
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.content_length, n);
    ASSERT_EQ(answer.body.size(), n);
    EXPECT_TRUE(answer.ended);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(answer.body[i], i % 64 == 63 ? '\n' : static_cast<char>('a' + i % 64 % 26)) << i;
    }
  }
  EXPECT_EQ(get("/bytes/1.5KiB").body.size(), 1536U);
}

TEST_F(RoutesTest, SendsATebibyteWithoutABuffer) {
  rig_.hold();
  rig_.start("GET", "/bytes/1TiB");
  EXPECT_EQ(rig_.answer().content_length, std::uint64_t{1} << 40);
  EXPECT_EQ(rig_.driver.budget.queued, 0U);
  EXPECT_FALSE(rig_.handler_running());
  rig_.keep_body = false;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rig_.take(16384), 16384U);
  rig_.vanish();
  EXPECT_EQ(rig_.driver.live(), 0U);
}

TEST_F(RoutesTest, SendsTheSameBytesHoweverTheyAreTaken) {
  rig_.hold();
  rig_.start("GET", "/bytes/40000");
  for (std::size_t step = 1; rig_.take(step) > 0;) step = step * 5 % 997 + 1;
  const std::string pieces = rig_.answer().body;
  rig_.release();
  EXPECT_EQ(pieces, get("/bytes/40000").body);
}

TEST_F(RoutesTest, AnswersHeadOfBytesWithoutThem) {
  const Answer& answer = rig_.ask("HEAD", "/bytes/1000");
  EXPECT_EQ(answer.content_length, 1000U);
  EXPECT_TRUE(answer.body.empty());
  EXPECT_TRUE(answer.ended);
}

TEST_F(RoutesTest, RefusesBytesThatAreNoSize) {
  for (const auto* n :
       {"x", "-1", "1TiB1", "2TiB", "99999999999999999999999", "1e3", "%00", "%0d%0a", "0x10"}) {
    want_refused(std::string("/bytes/") + n, "n");
  }
}

TEST_F(RoutesTest, StreamsChunksEachFlushed) {
  EXPECT_EQ(get("/stream/3").body, "chunk 1\nchunk 2\nchunk 3\n");
  EXPECT_FALSE(rig_.answer().content_length.has_value());
  EXPECT_EQ(get("/stream/0").body, "");
  EXPECT_TRUE(rig_.answer().ended);
  rig_.hold();
  rig_.start("GET", "/stream/3");
  rig_.take(4096);
  EXPECT_EQ(rig_.answer().body, "chunk 1\n");
  rig_.release();
  EXPECT_TRUE(rig_.answer().ended);
  want_refused("/stream/1000001", "n");
  want_refused("/stream/abc", "n");
}

TEST_F(RoutesTest, StopsStreamingWhenTheClientIsGone) {
  rig_.hold();
  rig_.start("GET", "/stream/1000000");
  EXPECT_TRUE(rig_.handler_running());
  rig_.vanish();
  EXPECT_EQ(rig_.driver.live(), 0U);
}

TEST_F(RoutesTest, EchoesABodyOfKnownLength) {
  const Answer& answer = rig_.ask("POST", "/echo", {{"content-type", "text/x-mine"}}, "a body");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "a body");
  EXPECT_EQ(answer.content_length, 6U);
  EXPECT_EQ(answer.field("content-type"), "text/x-mine");
  EXPECT_EQ(rig_.body_bytes_consumed, 6U);
}

TEST_F(RoutesTest, EchoesPieceByPiece) {
  rig_.start("PUT", "/echo");
  EXPECT_EQ(rig_.body_wanted_calls, 1U);
  EXPECT_FALSE(rig_.answer().head);
  rig_.send("one ");
  EXPECT_TRUE(rig_.answer().head);
  EXPECT_FALSE(rig_.answer().content_length.has_value());
  EXPECT_EQ(rig_.answer().body, "one ");
  rig_.send("two");
  EXPECT_EQ(rig_.answer().body, "one two");
  EXPECT_FALSE(rig_.answer().ended);
  rig_.finish();
  EXPECT_TRUE(rig_.answer().ended);
  EXPECT_EQ(rig_.answer().field("content-type"), "application/octet-stream");
}

TEST_F(RoutesTest, EchoesNothingAsNothing) {
  const Answer& answer = rig_.ask("POST", "/echo", {}, "");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.content_length, 0U);
  EXPECT_TRUE(answer.ended);
}

TEST_F(RoutesTest, DoesNotReadOnWhileTheClientDoesNotTakeTheEcho) {
  Options options;
  HandlerRig rig(*make_handler(options, nullptr));
  rig.hold();
  rig.start("POST", "/echo");
  const std::string piece(16 * 1024, 'x');
  for (int i = 0; i < 10; ++i) rig.send(piece);
  EXPECT_LE(rig.body_bytes_consumed, 2 * piece.size());
  rig.release();
  EXPECT_EQ(rig.answer().body.size(), 10 * piece.size());
}

TEST_F(RoutesTest, RefusesABodyThatIsAnnouncedTooLarge) {
  for (const auto* target : {"/echo", "/upload"}) {
    rig_.start("POST", target, {}, kMaxBody + 1);
    EXPECT_EQ(rig_.answer().status, 413U) << target;
    EXPECT_EQ(rig_.body_wanted_calls, 0U) << "100 Continue would ask for it";
    rig_.start("POST", target, {}, kMaxBody);
    EXPECT_FALSE(rig_.answer().head) << target;
  }
}

TEST_F(RoutesTest, RefusesABodyTheMomentItIsTooLarge) {
  rig_.start("POST", "/upload");
  rig_.send(std::string(kMaxBody, 'x'));
  EXPECT_FALSE(rig_.answer().head);
  rig_.send("x");
  EXPECT_EQ(rig_.answer().status, 413U);
  EXPECT_FALSE(rig_.handler_running());

  rig_.start("POST", "/echo");
  rig_.send(std::string(kMaxBody + 1, 'x'));
  EXPECT_EQ(rig_.answer().status, 413U);

  rig_.start("POST", "/echo");
  rig_.send(std::string(kMaxBody, 'x'));
  rig_.send("x");
  EXPECT_EQ(rig_.answer().status, 200U);
  EXPECT_EQ(rig_.answer().reset, http::ResetReason::kCancel);
}

TEST_F(RoutesTest, CountsAnUpload) {
  EXPECT_EQ(rig_.ask("POST", "/upload", {}, std::string(1000, 'x')).body, "{\"bytes\":1000}\n");
  EXPECT_EQ(rig_.answer().field("content-type"), "application/json");
  EXPECT_EQ(rig_.ask("PUT", "/upload", {}, "abc", false).body, "{\"bytes\":3}\n");
  EXPECT_EQ(rig_.ask("POST", "/upload", {}, "").body, "{\"bytes\":0}\n");
}

TEST_F(RoutesTest, ReturnsWhenTheBodyBreaksOff) {
  for (const auto* target : {"/upload", "/echo"}) {
    rig_.start("POST", target);
    rig_.send("half");
    EXPECT_TRUE(rig_.handler_running());
    rig_.vanish();
    EXPECT_EQ(rig_.driver.live(), 0U) << target;
  }
}

// ---- time

TEST_F(RoutesTest, AnswersAfterADelay) {
  for (const auto* target : {"/delay/250", "/delay/250ms", "/delay/0.25s"}) {
    rig_.start("GET", target);
    rig_.advance(249ms);
    EXPECT_FALSE(rig_.answer().head) << target;
    rig_.advance(1ms);
    EXPECT_TRUE(rig_.answer().ended) << target;
  }
  EXPECT_TRUE(get("/delay/0").ended);
  want_refused("/delay/-1", "ms");
  want_refused("/delay/25h", "ms");
  want_refused("/delay/99999999999999999999", "ms");
}

TEST_F(RoutesTest, DripsPieceByPiece) {
  rig_.start("GET", "/drip?bytes=3&interval=2s&count=3");
  EXPECT_EQ(rig_.answer().body, "...");
  rig_.advance(1999ms);
  EXPECT_EQ(rig_.answer().body.size(), 3U);
  rig_.advance(1ms);
  EXPECT_EQ(rig_.answer().body.size(), 6U);
  EXPECT_FALSE(rig_.answer().ended);
  rig_.advance(2s);
  EXPECT_EQ(rig_.answer().body.size(), 9U);
  EXPECT_TRUE(rig_.answer().ended);
}

TEST_F(RoutesTest, DripsForEverWhenToldTo) {
  rig_.start("GET", "/drip?interval=1ms&count=0&bytes=20KiB");
  for (int i = 0; i < 100; ++i) rig_.advance(1ms);
  EXPECT_EQ(rig_.answer().body.size(), 101U * 20 * 1024);
  EXPECT_TRUE(rig_.handler_running());
  rig_.vanish();
  EXPECT_EQ(rig_.driver.live(), 0U);
}

TEST_F(RoutesTest, RefusesDripsOutOfBounds) {
  want_refused("/drip?bytes=0", "bytes");
  want_refused("/drip?bytes=2MiB", "bytes");
  want_refused("/drip?bytes=", "bytes");
  want_refused("/drip?interval=25h", "interval");
  want_refused("/drip?interval=soon", "interval");
  want_refused("/drip?count=1000000001", "count");
  want_refused("/drip?count=1.5", "count");
}

TEST_F(RoutesTest, SendsEventsTheFirstAtOnce) {
  rig_.start("GET", "/events?interval=30s&count=2");
  EXPECT_EQ(rig_.answer().field("content-type"), "text/event-stream");
  EXPECT_EQ(rig_.answer().field("cache-control"), "no-store");
  EXPECT_EQ(rig_.answer().body, "id: 1\ndata: {\"n\":1,\"time\":\"2027-01-15T08:00:00.000Z\"}\n\n");
  rig_.advance(30s);
  EXPECT_TRUE(
      rig_.answer().body.ends_with("id: 2\ndata: {\"n\":2,\"time\":\"2027-01-15T08:00:30.000Z\"}\n\n"));
  EXPECT_TRUE(rig_.answer().ended);
}

TEST_F(RoutesTest, SendsEventsForEverUnlessCounted) {
  rig_.start("GET", "/events");
  for (int i = 0; i < 100; ++i) rig_.advance(1s);
  EXPECT_NE(rig_.answer().body.find("id: 101\n"), std::string::npos);
  EXPECT_TRUE(rig_.handler_running());
  rig_.vanish();
  EXPECT_EQ(rig_.driver.live(), 0U);
  want_refused("/events?interval=0", "interval");
  want_refused("/events?count=x", "count");
}

TEST_F(RoutesTest, AnswersHeadOfEndlessAnswersAtOnce) {
  for (const auto* target : {"/events", "/drip?count=0", "/stream/1000000"}) {
    const Answer& answer = rig_.ask("HEAD", target);
    EXPECT_TRUE(answer.ended) << target;
    EXPECT_FALSE(rig_.handler_running()) << target;
  }
}

TEST_F(RoutesTest, WaitsAsLongAsAskedAndSaysSo) {
  rig_.start("GET", "/wait?ms=1500");
  rig_.advance(1499ms);
  EXPECT_FALSE(rig_.answer().head);
  rig_.advance(2ms);
  EXPECT_EQ(rig_.answer().body, "{\"waited_ms\":1501}\n");
  rig_.start("GET", "/wait");
  rig_.advance(30s);
  EXPECT_TRUE(rig_.answer().ended);
  want_refused("/wait?ms=x", "ms");
}

TEST_F(RoutesTest, EndsALongPollWhenTheClientIsGone) {
  rig_.start("GET", "/wait?ms=1h");
  EXPECT_TRUE(rig_.handler_running());
  rig_.vanish();
  EXPECT_EQ(rig_.driver.live(), 0U);
}

// ---- protocol

TEST_F(RoutesTest, AnswersWithAnyFinalStatus) {
  for (unsigned code = 200; code <= 599; ++code) {
    const Answer& answer = get("/status/" + std::to_string(code));
    EXPECT_EQ(answer.status, code);
    EXPECT_TRUE(answer.ended);
    const bool bodiless = code == 204 || code == 205 || code == 304;
    EXPECT_EQ(answer.body, bodiless ? "" : std::to_string(code) + "\n");
  }
  EXPECT_FALSE(get("/status/204").content_length.has_value());
  EXPECT_FALSE(get("/status/304").content_length.has_value());
  EXPECT_EQ(get("/status/205").content_length, 0U);
  EXPECT_FALSE(get("/status/401").field("www-authenticate").empty());
  EXPECT_EQ(rig_.ask("DELETE", "/status/200").status, 200U);
  for (const auto* code : {"100", "101", "199", "600", "0", "abc", "200x", "-200", "2e2"}) {
    want_refused(std::string("/status/") + code, "code");
  }
}

TEST_F(RoutesTest, SendsTrailersItDeclared) {
  const Answer& answer = get("/trailers");
  EXPECT_EQ(answer.field("trailer"), "x-body-bytes, x-body-done");
  EXPECT_EQ(answer.trailers.size(), 2U);
  EXPECT_EQ(answer.trailer("x-body-bytes"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.trailer("x-body-done"), "true");
}

TEST_F(RoutesTest, SendsABigHeader) {
  EXPECT_EQ(get("/bigheader/8KiB").field("x-big"), std::string(8192, 'x'));
  EXPECT_EQ(get("/bigheader/1MiB").field("x-big").size(), 1024U * 1024);
  EXPECT_EQ(get("/bigheader/0").status, 200U);
  want_refused("/bigheader/1048577", "n");
}

TEST_F(RoutesTest, SendsManyHeaders) {
  const Answer& answer = get("/manyheaders/10000");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.field("x-header-1"), "1");
  EXPECT_EQ(answer.field("x-header-10000"), "10000");
  want_refused("/manyheaders/10001", "n");
}

TEST_F(RoutesTest, SendsEarlyHintsBeforeTheAnswer) {
  const Answer& answer = get("/early-hints");
  ASSERT_EQ(answer.informational.size(), 1U);
  EXPECT_EQ(answer.informational[0].first, 103U);
  EXPECT_EQ(answer.informational[0].second, "</style.css>; rel=preload; as=style");
  EXPECT_EQ(answer.status, 200U);
}

TEST_F(RoutesTest, ResetsAnAnswerThatTheClientHasSeenBegin) {
  rig_.hold();
  rig_.start("GET", "/rst");
  EXPECT_TRUE(rig_.answer().head);
  EXPECT_FALSE(rig_.answer().reset.has_value());
  rig_.release();
  EXPECT_FALSE(rig_.answer().body.empty());
  EXPECT_TRUE(rig_.answer().reset.has_value());
  EXPECT_FALSE(rig_.answer().ended);
}

// ---- /info and /

TEST_F(RoutesTest, ShowsWhatItSaw) {
  const Answer& answer =
      get("/info?x=\"1\"", {{"x-twice", "a"}, {"x-twice", "\xff"}, {"x-request-id", "id-9"}});
  const auto seen = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(seen.at("protocol").as_string(), "HTTP/2");
  EXPECT_EQ(seen.at("method").as_string(), "GET");
  EXPECT_EQ(seen.at("target").as_string(), "/info?x=\"1\"");
  EXPECT_EQ(seen.at("scheme").as_string(), "http");
  EXPECT_EQ(seen.at("authority").as_string(), "localhost:8080");
  EXPECT_EQ(seen.at("peer").as_string(), "127.0.0.1:40312");
  EXPECT_EQ(seen.at("connection").as_int64(), 7);
  EXPECT_EQ(seen.at("request").as_int64(), 1);
  EXPECT_EQ(seen.at("request_id").as_string(), "id-9");
  EXPECT_TRUE(seen.at("tls").is_null());
  const auto& headers = seen.at("headers").as_array();
  ASSERT_EQ(headers.size(), 3U);
  EXPECT_EQ(headers[0].as_array()[0].as_string(), "x-twice");
  EXPECT_EQ(headers[0].as_array()[1].as_string(), "a");
  EXPECT_EQ(headers[1].as_array()[1].as_string(), "\xef\xbf\xbd");
}

TEST_F(RoutesTest, ShowsTheRequestNumberAndTls) {
  rig_.driver.connection.set_secure(true);
  get("/hello");
  const auto seen = boost::json::parse(rig_.ask("POST", "/info", {}, "").body).as_object();
  EXPECT_EQ(seen.at("request").as_int64(), 2);
  EXPECT_EQ(seen.at("tls").at("version").as_string(), "TLSv1.3");
  EXPECT_EQ(seen.at("tls").at("cipher").as_string(), "TLS_AES_128_GCM_SHA256");
  EXPECT_FALSE(seen.at("tls").at("resumed").as_bool());
  EXPECT_TRUE(seen.at("headers").as_array().empty());
}

TEST_F(RoutesTest, ListsEveryRoute) {
  const std::string text = get("/").body;
  for (const BuiltinRoute& route : builtin_routes()) {
    EXPECT_NE(text.find(route.usage), std::string::npos) << route.usage;
    EXPECT_NE(text.find(route.about), std::string::npos) << route.about;
  }
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), builtin_routes().size());
}

// A usage that its own route refuses would be a bad example.
TEST_F(RoutesTest, ListsOnlyWhatWorks) {
  for (const BuiltinRoute& route : builtin_routes()) {
    rig_.start(route.methods.has(Method::kGet) ? "GET" : "POST", route.usage, {}, 0);
    if (rig_.exchange() == nullptr) {
      EXPECT_TRUE(rig_.answer().reset.has_value()) << route.usage;
      continue;
    }
    EXPECT_EQ(rig_.exchange()->route, route.pattern);
    // /status/404 is the one that asks for its error.
    EXPECT_TRUE(rig_.answer().status < 400 || route.pattern == "/status/{code}") << route.usage;
  }
}

TEST_F(RoutesTest, ListsInHtmlForThoseWhoPreferIt) {
  const Answer& html =
      get("/", {{"accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}});
  EXPECT_EQ(html.field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(html.field("vary"), "accept");
  EXPECT_NE(html.body.find("<a href=\"/drip?bytes=1&amp;interval=1s&amp;count=10\">"), std::string::npos);
  EXPECT_EQ(get("/", {{"accept", "*/*"}}).field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(get("/", {{"accept", "text/plain, text/html;q=0.5"}}).field("content-type"),
            "text/plain; charset=utf-8");
}

TEST(Accept, TakesTheMostSpecificRange) {
  const auto quality = [](std::string_view accept) {
    http::Fields fields;
    fields.add("accept", accept);
    return accept_quality(fields, "text/html");
  };
  EXPECT_EQ(accept_quality(http::Fields(), "text/html"), 1000);
  EXPECT_EQ(quality("*/*;q=0.1, text/*;q=0.2, text/html;q=0.3"), 300);
  EXPECT_EQ(quality("text/html;q=0.3, */*"), 300);
  EXPECT_EQ(quality("text/html;level=1;q=0.4"), 400);
  EXPECT_EQ(quality("TEXT/HTML; Q=0.75"), 750);
  EXPECT_EQ(quality("text/html;q=0"), 0);
  EXPECT_EQ(quality("text/plain"), 0);
  EXPECT_EQ(quality("text/html;q=2, */*;q=0.5"), 500);
  EXPECT_EQ(quality("text/html;q=1.001"), 0);
  EXPECT_EQ(quality(""), 0);
  EXPECT_EQ(quality(",;=,, text/html"), 1000);
}

TEST_F(RoutesTest, ReadsQueriesAsFormsDo) {
  rig_.start("GET", "/wait?x=1&m%73=%31%30&ms=99");
  rig_.advance(10ms);
  EXPECT_TRUE(rig_.answer().ended);
  want_refused("/wait?ms=1+s", "ms");
  want_refused("/wait?ms", "ms");
  want_refused("/wait?ms=%", "ms");
}

TEST(MakeHandler, RefusesARootThatIsNotThere) {
  Options options;
  options.root = "/nonexistent/folder";
  const auto handler = make_handler(options, nullptr);
  ASSERT_FALSE(handler.has_value());
  EXPECT_EQ(handler.error().message,
            "cannot serve files from /nonexistent/folder: No such file or directory");
  EXPECT_EQ(handler.error().exit, Error::Exit::kFailure);
}

}  // namespace
}  // namespace h2park::handlers
