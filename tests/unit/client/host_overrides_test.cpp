#include "client/host_overrides.hpp"

#include <gtest/gtest.h>

#include <string>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;

class Overrides : public ::testing::Test {
 protected:
  void resolve(std::string_view text) {
    const auto added = overrides_.add_resolve(text);
    EXPECT_TRUE(added) << text << ": " << (added ? "" : added.error().message);
  }
  void connect_to(std::string_view text) {
    const auto added = overrides_.add_connect_to(text);
    EXPECT_TRUE(added) << text << ": " << (added ? "" : added.error().message);
  }
  // "" if there are none.
  std::string addresses(const std::string& host, std::uint16_t port, Duration age = 0s) const {
    const auto* found = overrides_.addresses({host, port}, age);
    std::string text;
    for (std::size_t i = 0; found != nullptr && i < found->size(); ++i) {
      text += (i == 0 ? "" : " ") + (*found)[i].text();
    }
    return text;
  }
  std::string target(const std::string& host, std::uint16_t port) const {
    const auto found = overrides_.target({host, port});
    return found.host + " " + std::to_string(found.port);
  }

  HostOverrides overrides_;
};

using Resolve = Overrides;
using ConnectTo = Overrides;

TEST_F(Resolve, GivesAHostAtAPortItsAddresses) {
  resolve("example.org:443:127.0.0.1");
  EXPECT_EQ(addresses("example.org", 443), "127.0.0.1:443");
  EXPECT_EQ(addresses("example.org", 80), "");
  EXPECT_EQ(addresses("other.org", 443), "");
}

TEST_F(Resolve, TakesSeveralAddressesInOrder) {
  resolve("a:80:127.0.0.2,[::1],::2,127.0.0.1");
  EXPECT_EQ(addresses("a", 80), "127.0.0.2:80 [::1]:80 [::2]:80 127.0.0.1:80");
}

TEST_F(Resolve, ComparesHostsAsUrlsDo) {
  resolve("EXAMPLE.org:80:127.0.0.1");
  EXPECT_EQ(addresses("example.org", 80), "127.0.0.1:80");
  resolve("[::1]:80:127.0.0.2");
  EXPECT_EQ(addresses("::1", 80), "127.0.0.2:80");
}

TEST_F(Resolve, AnAsteriskIsForHostsWithoutAnEntryOfTheirOwn) {
  resolve("*:80:127.0.0.1");
  resolve("a:80:127.0.0.2");
  EXPECT_EQ(addresses("a", 80), "127.0.0.2:80");
  EXPECT_EQ(addresses("b", 80), "127.0.0.1:80");
  EXPECT_EQ(addresses("b", 81), "");
}

TEST_F(Resolve, ALaterEntryReplacesAnEarlierOne) {
  resolve("a:80:127.0.0.1,127.0.0.2");
  resolve("a:80:127.0.0.3");
  EXPECT_EQ(addresses("a", 80), "127.0.0.3:80");
}

TEST_F(Resolve, AMinusTakesAnEntryBack) {
  resolve("a:80:127.0.0.1");
  resolve("a:81:127.0.0.1");
  resolve("-a:80");
  EXPECT_EQ(addresses("a", 80), "");
  EXPECT_EQ(addresses("a", 81), "127.0.0.1:81");
  resolve("-never-there:80");
}

TEST_F(Resolve, APlusEndsAfterAMinute) {
  resolve("+a:80:127.0.0.1");
  resolve("b:80:127.0.0.1");
  EXPECT_EQ(addresses("a", 80, 59s), "127.0.0.1:80");
  EXPECT_EQ(addresses("a", 80, 60s), "");
  EXPECT_EQ(addresses("b", 80, 24h), "127.0.0.1:80");
  resolve("*:80:127.0.0.9");
  EXPECT_EQ(addresses("a", 80, 60s), "127.0.0.9:80");
}

TEST_F(Resolve, RefusesInOneLineWhatItCannotRead) {
  for (const char* text : {"",
                           "a",
                           "a:80",
                           "a:80:",
                           ":80:127.0.0.1",
                           "a::127.0.0.1",
                           "a:0:127.0.0.1",
                           "a:65536:127.0.0.1",
                           "a:x:127.0.0.1",
                           "a:80:name",
                           "a:80:127.0.0.1,",
                           "a:80:,127.0.0.1",
                           "a:80:[::1",
                           "[::1:80:127.0.0.1",
                           "a:80:127.0.0.1:81",
                           "a b:80:127.0.0.1",
                           "-a",
                           "-a:80:127.0.0.1",
                           "-",
                           "+",
                           "a:80:1.2.3.4.5"}) {
    const auto added = overrides_.add_resolve(text);
    ASSERT_FALSE(added) << text;
    EXPECT_EQ(added.error().exit, Error::Exit::kUsage);
    EXPECT_FALSE(added.error().message.empty());
    EXPECT_EQ(added.error().message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(addresses("a", 80), "");
}

TEST_F(ConnectTo, LeadsElsewhere) {
  connect_to("example.org:443:localhost:8443");
  EXPECT_EQ(target("example.org", 443), "localhost 8443");
  EXPECT_EQ(target("example.org", 80), "example.org 80");
  EXPECT_EQ(target("example.net", 443), "example.net 443");
}

TEST_F(ConnectTo, EmptyPartsAreAnyAndUnchanged) {
  connect_to("a::b:");
  EXPECT_EQ(target("a", 1), "b 1");
  connect_to(":81::82");
  EXPECT_EQ(target("x", 81), "x 82");
  connect_to("c:80::");
  EXPECT_EQ(target("c", 80), "c 80");
  connect_to("::proxy:9");
  EXPECT_EQ(target("any", 7), "proxy 9");
}

TEST_F(ConnectTo, TheFirstThatFitsCounts) {
  connect_to("a:80:first:");
  connect_to("a:80:second:");
  EXPECT_EQ(target("a", 80), "first 80");
}

TEST_F(ConnectTo, Ipv6StandsInBrackets) {
  connect_to("[::1]:80:[::2]:81");
  EXPECT_EQ(target("::1", 80), "::2 81");
}

TEST_F(ConnectTo, RefusesInOneLineWhatItCannotRead) {
  for (const char* text : {"", "a", "a:80", "a:80:b", "a:80:b:1:2", "a:x:b:1", "a:80:b:0", "a:80:b:65536",
                           "[::1:80:b:1", "a b:80:c:1", "::1:80:b:1", "a:80:b c:1"}) {
    const auto added = overrides_.add_connect_to(text);
    ASSERT_FALSE(added) << text;
    EXPECT_EQ(added.error().exit, Error::Exit::kUsage);
    EXPECT_EQ(added.error().message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(target("a", 80), "a 80");
}

TEST_F(ConnectTo, ComesBeforeResolve) {
  connect_to("a:80:b:81");
  resolve("b:81:127.0.0.1");
  const auto found = overrides_.target({"a", 80});
  EXPECT_EQ(addresses(found.host, found.port), "127.0.0.1:81");
}

}  // namespace
}  // namespace h2park::client
