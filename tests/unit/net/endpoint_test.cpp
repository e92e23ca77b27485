#include "net/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace h2park::net {
namespace {

using testing::HasSubstr;

Endpoint parsed(std::string_view text) {
  const auto endpoint = parse_endpoint(text);
  EXPECT_TRUE(endpoint) << text << ": " << (endpoint ? "" : endpoint.error().message);
  return endpoint.value_or(Endpoint{});
}

std::string refusal(std::string_view text) {
  const auto endpoint = parse_endpoint(text);
  EXPECT_FALSE(endpoint) << text << " was taken for " << (endpoint ? endpoint->text() : "");
  if (endpoint) return {};
  EXPECT_EQ(endpoint.error().exit, Error::Exit::kUsage) << text;
  EXPECT_EQ(endpoint.error().message.find('\n'), std::string::npos) << text;
  return endpoint.error().message;
}

TEST(Endpoint, KeepsWhatWasWritten) {
  for (const std::string text : {"127.0.0.1:8080", "0.0.0.0:80", "[::1]:8080", "[::]:443",
                                 "[fe80::1%lo]:8080", "localhost:8080", "my-host.example_1:65535",
                                 "127.0.0.1:0", "unix:/run/x.sock", "unix:relative.sock", "unix:/a:b/[c]"}) {
    EXPECT_EQ(parsed(text).text(), text);
    EXPECT_EQ(parsed(parsed(text).text()), parsed(text));
  }
}

TEST(Endpoint, SeparatesHostAndPort) {
  EXPECT_EQ(parsed("example.org:81"), (Endpoint{.host = "example.org", .port = 81}));
  EXPECT_EQ(parsed("[::1]:82"), (Endpoint{.host = "::1", .port = 82}));
  EXPECT_EQ(parsed("unix:/a"), (Endpoint{.unix_path = "/a"}));
}

TEST(Endpoint, TakesAPortAloneForThisMachineOnly) {
  EXPECT_EQ(parsed(":8080").text(), "127.0.0.1:8080");
  EXPECT_EQ(parsed("8080").text(), "127.0.0.1:8080");
  EXPECT_EQ(parsed("0").text(), "127.0.0.1:0");
}

TEST(Endpoint, RefusesAPortThatIsNone) {
  EXPECT_EQ(refusal("127.0.0.1:65536"), "'127.0.0.1:65536': port 65536 is not between 0 and 65535");
  EXPECT_THAT(refusal("127.0.0.1:99999999999999999999"), HasSubstr("is not between"));
  EXPECT_THAT(refusal("127.0.0.1:-1"), HasSubstr("'-1' is not a port number"));
  EXPECT_THAT(refusal("127.0.0.1:+1"), HasSubstr("is not a port number"));
  EXPECT_THAT(refusal("127.0.0.1:http"), HasSubstr("is not a port number"));
  EXPECT_THAT(refusal("127.0.0.1: 80"), HasSubstr("is not a port number"));
}

TEST(Endpoint, RefusesAMissingPort) {
  for (const char* text : {"localhost", "localhost:", ":", "[::1]", "[::1]:", "127.0.0.1"}) {
    EXPECT_THAT(refusal(text), HasSubstr("the port is missing")) << text;
  }
  EXPECT_THAT(refusal(""), HasSubstr("an address is missing"));
}

TEST(Endpoint, RefusesAnAddressThatIsNone) {
  EXPECT_THAT(refusal("1.2.3.400:80"), HasSubstr("is not an IPv4 address"));
  EXPECT_THAT(refusal("10.1:80"), HasSubstr("is not an IPv4 address"));
  EXPECT_THAT(refusal("::1:80"), HasSubstr("written in brackets"));
  EXPECT_THAT(refusal("[::1"), HasSubstr("']' is missing"));
  EXPECT_THAT(refusal("[::1]80"), HasSubstr("only :PORT may follow"));
  EXPECT_THAT(refusal("[127.0.0.1]:80"), HasSubstr("is not an IPv6 address"));
  EXPECT_THAT(refusal("[]:80"), HasSubstr("is not an IPv6 address"));
  EXPECT_THAT(refusal("[fe80::1%]:80"), HasSubstr("is not an IPv6 address"));
  EXPECT_THAT(refusal("a b:80"), HasSubstr("is not a host name"));
  EXPECT_THAT(refusal("*:80"), HasSubstr("is not a host name"));
  EXPECT_THAT(refusal("http://x:80"), HasSubstr("brackets"));
  EXPECT_THAT(refusal(std::string(254, 'a') + ":80"), HasSubstr("too long"));
}

TEST(Endpoint, RefusesAUnixPathThatDoesNotFitTheKernelsAddress) {
  EXPECT_EQ(parsed("unix:" + std::string(107, 'p')).unix_path.size(), 107U);
  EXPECT_THAT(refusal("unix:" + std::string(108, 'p')),
              HasSubstr("has 108 bytes, a unix socket's at most 107"));
  EXPECT_THAT(refusal("unix:"), HasSubstr("path of the unix socket is missing"));
  EXPECT_THAT(refusal(std::string_view("unix:a\0b", 8)), HasSubstr("zero byte"));
}

TEST(Endpoint, KnowsWhatIsLoopback) {
  for (const char* text :
       {"127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "localhost:1", "unix:/x", "[::ffff:127.0.0.1]:1"}) {
    EXPECT_TRUE(is_loopback(parsed(text))) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[fe80::1%lo]:1", "[::ffff:10.0.0.1]:1"}) {
    EXPECT_FALSE(is_loopback(parsed(text))) << text;
  }
}

TEST(Endpoint, TakesANameThatDoesNotResolveForNotLoopback) {
  // A label of more than 63 characters is refused before anybody is asked.
  EXPECT_FALSE(is_loopback(Endpoint{.host = std::string(64, 'a'), .port = 1}));
}

}  // namespace
}  // namespace h2park::net
