#include "handlers/router.hpp"

#include "handlers/route_method.hpp"
#include "handlers/route_path.hpp"
#include "http/percent.hpp"
#include "support/handler_rig.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace h2park::handlers {
namespace {

using test::Answer;
using test::HandlerRig;

// Answers with its name and the parameters it got.
http::Handler named(std::string name) {
  return [name = std::move(name)](http::Request& request, http::Responder& response) -> Task<> {
    std::string body = name;
    for (const auto& parameter : request.parameters) {
      body += " " + std::string(parameter.name) + "=" + parameter.value;
    }
    co_await response.send("text/plain", body);
  };
}

class RouterTest : public testing::Test {
 protected:
  void SetUp() override {
    router_.add(Method::kGet, "/", named("root"));
    router_.add(Method::kGet, "/hello", named("hello"));
    router_.add(Method::kPost | Method::kPut, "/upload", named("upload"));
    router_.add(Method::kGet, "/item", named("get item"));
    router_.add(Method::kDelete, "/item", named("delete item"));
    router_.add(Method::kGet, "/a/b", named("literal"));
    router_.add(Method::kGet, "/a/{x}", named("parameter"));
    router_.add(Method::kGet, "/a/{x}/c", named("deep"));
    router_.add(Method::kGet, "/{any}/two/{more}", named("both"));
  }
  const Answer& ask(std::string_view method, std::string_view target) { return rig_.ask(method, target); }

  Router router_;
  HandlerRig rig_{
      [this](http::Request& request, http::Responder& response) { return router_(request, response); }};
};

TEST_F(RouterTest, FindsALiteralPath) {
  EXPECT_EQ(ask("GET", "/hello").body, "hello");
  EXPECT_EQ(ask("GET", "/").body, "root");
  EXPECT_EQ(ask("GET", "/hello?x=1").body, "hello");
}

TEST_F(RouterTest, NamesTheRouteForLogs) {
  ask("GET", "/hello");
  EXPECT_EQ(rig_.exchange()->route, "/hello");
  ask("GET", "/a/7/c");
  EXPECT_EQ(rig_.exchange()->route, "/a/{x}/c");
  ask("GET", "/nowhere");
  EXPECT_EQ(rig_.exchange()->route, "-");
}

TEST_F(RouterTest, PrefersALiteralSegmentToAParameter) {
  EXPECT_EQ(ask("GET", "/a/b").body, "literal");
  EXPECT_EQ(ask("GET", "/a/z").body, "parameter x=z");
}

TEST_F(RouterTest, ComesBackToAParameterWhenTheLiteralLeadsNowhere) {
  EXPECT_EQ(ask("GET", "/a/b/c").body, "deep x=b");
  EXPECT_EQ(ask("GET", "/a/two/q").body, "both any=a more=q");
  EXPECT_EQ(ask("GET", "/hello/two/q").body, "both any=hello more=q");
}

TEST_F(RouterTest, DecodesSegmentsOneByOne) {
  EXPECT_EQ(ask("GET", "/a/x%20y").body, "parameter x=x y");
  EXPECT_EQ(ask("GET", "/a/x%2Fy").body, "parameter x=x/y");
  EXPECT_EQ(ask("GET", "/%68ello").body, "hello");
  EXPECT_EQ(ask("GET", "/a/a+b").body, "parameter x=a+b");
}

TEST_F(RouterTest, RefusesInvalidPercentEncoding) {
  for (const auto* target : {"/%", "/%4", "/%zz", "/a/%g1", "/nowhere/%2"}) {
    EXPECT_EQ(ask("GET", target).status, 400U) << target;
  }
}

TEST_F(RouterTest, DoesNotNormalisePaths) {
  for (const auto* target :
       {"//hello", "/hello/", "/./hello", "/a/../hello", "/a/", "/a//c", "/Hello", "/%2fhello"}) {
    EXPECT_EQ(ask("GET", target).status, 404U) << target;
  }
}

TEST_F(RouterTest, AnswersAnUnknownPathInOneLine) {
  const Answer& answer = ask("GET", "/nowhere");
  EXPECT_EQ(answer.status, 404U);
  EXPECT_EQ(answer.body, "no such resource\n");
  EXPECT_EQ(ask("GET", "/a/b/c/d/e/f/g").status, 404U);
}

TEST_F(RouterTest, ServesHeadByTheRouteForGet) {
  const Answer& answer = ask("HEAD", "/hello");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.content_length, 5U);
  EXPECT_TRUE(answer.body.empty());
  EXPECT_EQ(ask("HEAD", "/upload").status, 405U);
}

TEST_F(RouterTest, NamesTheAllowedMethodsWhenItRefusesOne) {
  EXPECT_EQ(ask("DELETE", "/hello").status, 405U);
  EXPECT_EQ(rig_.answer().field("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask("GET", "/upload").status, 405U);
  EXPECT_EQ(rig_.answer().field("allow"), "POST, PUT, OPTIONS");
  EXPECT_EQ(ask("PUT", "/item").status, 405U);
  EXPECT_EQ(rig_.answer().field("allow"), "GET, HEAD, DELETE, OPTIONS");
}

TEST_F(RouterTest, KeepsTheMethodsOfAPathApart) {
  EXPECT_EQ(ask("GET", "/item").body, "get item");
  EXPECT_EQ(ask("DELETE", "/item").body, "delete item");
  EXPECT_EQ(ask("PUT", "/upload").body, "upload");
}

TEST_F(RouterTest, AnswersOptionsOfAPath) {
  const Answer& answer = ask("OPTIONS", "/upload");
  EXPECT_EQ(answer.status, 204U);
  EXPECT_EQ(answer.field("allow"), "POST, PUT, OPTIONS");
  EXPECT_FALSE(answer.content_length.has_value());
  EXPECT_EQ(ask("OPTIONS", "/nowhere").status, 404U);
}

TEST_F(RouterTest, AnswersOptionsOfTheWholeServer) {
  const Answer& answer = ask("OPTIONS", "*");
  EXPECT_EQ(answer.status, 204U);
  EXPECT_EQ(answer.field("allow"), "GET, HEAD, POST, PUT, DELETE, OPTIONS");
  EXPECT_EQ(ask("GET", "*").status, 400U);
}

TEST_F(RouterTest, AllowsTraceNowhere) {
  for (const auto* target : {"/hello", "/nowhere"}) {
    const Answer& answer = ask("TRACE", target);
    EXPECT_EQ(answer.status, 405U) << target;
    EXPECT_FALSE(answer.field("allow").empty());
    EXPECT_EQ(answer.field("allow").find("TRACE"), std::string_view::npos);
  }
}

TEST_F(RouterTest, DoesNotImplementConnectAndUnknownMethods) {
  EXPECT_EQ(ask("CONNECT", "").status, 501U);
  EXPECT_EQ(ask("CONNECT", "/hello").status, 501U);
  EXPECT_EQ(ask("BREW", "/hello").status, 501U);
  EXPECT_EQ(ask("get", "/hello").status, 501U);
}

TEST(Methods, AreCaseSensitive) {
  EXPECT_EQ(parse_method("PATCH"), Method::kPatch);
  EXPECT_EQ(parse_method("Get"), std::nullopt);
  EXPECT_EQ(parse_method(""), std::nullopt);
  for (std::size_t i = 0; i < kMethods; ++i) {
    EXPECT_EQ(parse_method(to_string(static_cast<Method>(i))), static_cast<Method>(i));
  }
}

TEST(Segments, AreTakenOneByOne) {
  std::string_view path = "/a//b/";
  EXPECT_EQ(take_segment(path), "a");
  EXPECT_EQ(take_segment(path), "");
  EXPECT_EQ(take_segment(path), "b");
  EXPECT_EQ(path, "/");
  EXPECT_EQ(take_segment(path), "");
  EXPECT_EQ(path, "");
}

TEST(PercentDecoding, TakesEveryByteAndNothingElse) {
  for (int byte = 0; byte < 256; ++byte) {
    char text[4];
    std::snprintf(text, sizeof text, "%%%02x", static_cast<unsigned>(byte));
    EXPECT_EQ(http::percent_decode(text), std::string(1, static_cast<char>(byte)));
    EXPECT_TRUE(http::percent_encoding_is_valid(text));
    for (std::size_t cut = 1; cut < 3; ++cut) {
      EXPECT_EQ(http::percent_decode(std::string_view(text).substr(0, cut)), std::nullopt);
      EXPECT_FALSE(http::percent_encoding_is_valid(std::string_view(text).substr(0, cut)));
    }
  }
  EXPECT_EQ(http::percent_decode("%+1"), std::nullopt);
  EXPECT_EQ(http::percent_decode("%%41"), std::nullopt);
  EXPECT_FALSE(http::percent_encoding_is_valid("%41%4"));
}

}  // namespace
}  // namespace h2park::handlers
