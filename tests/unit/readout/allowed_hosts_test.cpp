#include "readout/allowed_hosts.hpp"

#include <gtest/gtest.h>

namespace h2park::readout {
namespace {

const AllowedHosts kUsual({.host = "127.0.0.1", .port = 8081});

TEST(AllowedHosts, AllowsLoopbackNamesWithThePortOrWithoutOne) {
  for (const char* host :
       {"127.0.0.1:8081", "127.0.0.1", "127.0.0.1:", "localhost:8081", "localhost", "LocalHost:8081",
        "[::1]:8081", "[::1]", "[::1]:", "[0:0:0:0:0:0:0:1]:8081", "[0000::0001]"}) {
    EXPECT_TRUE(kUsual.allow(host)) << host;
  }
}

TEST(AllowedHosts, RefusesEveryOtherName) {
  for (const char* host : {"",
                           ":",
                           ":8081",
                           "evil.example",
                           "evil.example:8081",
                           "localhost.evil.example:8081",
                           "127.0.0.1.evil.example",
                           "evil.localhost",
                           "localhost.",
                           "127.0.0.2:8081",
                           "127.1",
                           "127.0.0.01",
                           "2130706433",
                           "0x7f.0.0.1",
                           "0.0.0.0",
                           "[::]",
                           "[::2]",
                           "192.168.1.1:8081",
                           "user@localhost",
                           "localhost/",
                           " localhost",
                           "localhost ",
                           "local host",
                           "a:b:8081",
                           "::1",
                           "::1:8081",
                           "[::1",
                           "::1]",
                           "[]",
                           "[localhost]",
                           "[127.0.0.1]",
                           "[::1]8081",
                           "x[::1]",
                           "[::1%25lo]",
                           "[::ffff:127.0.0.1]"}) {
    EXPECT_FALSE(kUsual.allow(host)) << host;
  }
}

TEST(AllowedHosts, RefusesEveryOtherPort) {
  for (const char* host :
       {"localhost:80", "localhost:8080", "localhost:08081", "localhost:8081x", "localhost:8081:8081",
        "127.0.0.1:0", "[::1]:8080", "[::1]:x", "localhost:+8081", "localhost: 8081"}) {
    EXPECT_FALSE(kUsual.allow(host)) << host;
  }
}

TEST(AllowedHosts, AllowsTheBoundAddress) {
  EXPECT_TRUE(AllowedHosts({.host = "127.0.0.2", .port = 9}).allow("127.0.0.2:9"));
  EXPECT_FALSE(AllowedHosts({.host = "127.0.0.2", .port = 9}).allow("127.0.0.3:9"));
  EXPECT_TRUE(AllowedHosts({.host = "0:0::1", .port = 9}).allow("[::1]:9"));
  EXPECT_TRUE(AllowedHosts({.host = "MyHost", .port = 9}).allow("myhost:9"));
}

TEST(AllowedHosts, AllowsAnythingOverAUnixSocket) {
  const AllowedHosts hosts({.unix_path = "/run/stats.sock"});
  EXPECT_TRUE(hosts.allow("evil.example"));
  EXPECT_TRUE(hosts.allow(""));
}

}  // namespace
}  // namespace h2park::readout
