#include "http1/request_text.hpp"

#include <gtest/gtest.h>

namespace h2park::test {
namespace {

using http1::request_text;
using http1::RequestLineAndFields;

std::string text(const RequestLineAndFields& request) {
  const auto made = request_text(request);
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or("");
}

// The message, if it is refused as the user's mistake.
std::string refusal(const RequestLineAndFields& request) {
  const auto made = request_text(request);
  EXPECT_FALSE(made) << *made;
  if (made) return {};
  EXPECT_EQ(made.error().exit, Error::Exit::kUsage);
  for (const char c : made.error().message) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << "unprintable message";
  return made.error().message;
}

// Every byte that must not stand in a field value.
std::string controls() {
  std::string all = "\x7f";
  for (char c = 0; c < 0x20; ++c) {
    if (c != '\t') all += c;
  }
  return all;
}

TEST(RequestText, PutsHostFirstAndKeepsOrderAndSpelling) {
  EXPECT_EQ(text({.method = "POST",
                  .target = "/a?b=c",
                  .host = "example.org:8080",
                  .fields = {{"X-b", "2"}, {"x-A", "1, \t\xc3\xa4"}, {"X-b", "3"}},
                  .content_length = 12}),
            "POST /a?b=c HTTP/1.1\r\n"
            "Host: example.org:8080\r\n"
            "X-b: 2\r\n"
            "x-A: 1, \t\xc3\xa4\r\n"
            "X-b: 3\r\n"
            "Content-Length: 12\r\n"
            "\r\n");
}

TEST(RequestText, SendsHostInHttp10Too) {
  EXPECT_EQ(text({.version = http::Version::kHttp10, .host = "a"}), "GET / HTTP/1.0\r\nHost: a\r\n\r\n");
}

TEST(RequestText, SendsAnEmptyHostWhereThereIsNone) {
  EXPECT_EQ(text({}), "GET / HTTP/1.1\r\nHost:\r\n\r\n");  // RFC 9112 3.2
}

TEST(RequestText, SendsEmptyValuesAndALengthOfNothing) {
  EXPECT_EQ(text({.host = "a", .fields = {{"X", ""}}, .content_length = 0}),
            "GET / HTTP/1.1\r\nHost: a\r\nX:\r\nContent-Length: 0\r\n\r\n");
}

TEST(RequestText, TakesEveryFormOfTarget) {
  for (const std::string target : {"*", "http://a/b", "a:443", "/%00?\xc3\xa4#"}) {
    EXPECT_TRUE(text({.target = target}).starts_with("GET " + target + " HTTP/1.1\r\n"));
  }
}

TEST(RequestText, RefusesAMethodThatIsNoToken) {
  for (const std::string method : {"", "GE T", "GET\r\nX: y", "GET\t", "G:T", "G\xc3\xa4T"}) {
    EXPECT_EQ(refusal({.method = method}), "the request method is not a token");
  }
}

TEST(RequestText, RefusesATargetThatEndsTheRequestLine) {
  EXPECT_NE(refusal({.target = ""}), "");
  EXPECT_NE(refusal({.target = "/ HTTP/1.1\r\nX: y"}), "");
  for (const char c : controls() + " \t") EXPECT_NE(refusal({.target = std::string("/a") + c + "b"}), "");
}

TEST(RequestText, RefusesAFieldNameThatIsNoToken) {
  for (const std::string name : {"", "a b", "a:", "a\r\nb", "a\n", " a", "a\xc3\xa4"}) {
    EXPECT_EQ(refusal({.fields = {{"ok", "1"}, {name, "x"}}}), "a header name is not a token");
  }
}

TEST(RequestText, RefusesAValueThatEndsItsLine) {
  EXPECT_EQ(refusal({.fields = {{"A", "x\r\n\r\nGET / HTTP/1.1"}}}), "header 'A' has a control character");
  for (const char c : controls()) {
    EXPECT_EQ(refusal({.fields = {{"A", std::string("x") + c}}}), "header 'A' has a control character");
    EXPECT_EQ(refusal({.host = std::string("x") + c}), "header 'Host' has a control character");
  }
}

}  // namespace
}  // namespace h2park::test
