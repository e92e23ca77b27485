#include "cmd/serve_settings.hpp"

#include "base/cpu_count.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

Result<ServeSettings> parse(Words arguments) {
  arguments.insert(arguments.begin(), "serve");
  const auto line = parse_command_line(arguments);
  if (!line) return std::unexpected(line.error());
  return parse_serve(line->values);
}

ServeSettings settings_of(const Words& arguments) {
  const auto settings = parse(arguments);
  EXPECT_TRUE(settings) << settings.error().message;
  return settings.value_or(ServeSettings{});
}

std::string error_of(const Words& arguments) {
  const auto settings = parse(arguments);
  if (settings) return "";
  EXPECT_EQ(settings.error().exit, Error::Exit::kUsage);
  return settings.error().message;
}

std::string text_of(const std::vector<net::Endpoint>& endpoints) {
  std::string text;
  for (const net::Endpoint& endpoint : endpoints) text += (text.empty() ? "" : " ") + endpoint.text();
  return text;
}

TEST(ServeSettings, HaveTheDefaultsOfTheTable) {
  const ServeSettings settings = settings_of({});
  EXPECT_EQ(text_of(settings.server.listen), "127.0.0.1:8080");
  EXPECT_TRUE(settings.server.tls_listen.empty());
  ASSERT_TRUE(settings.stats);
  EXPECT_EQ(settings.stats->text(), "127.0.0.1:8081");
  EXPECT_EQ(settings.server.threads, cpu_count());
  EXPECT_EQ(settings.server.max_connections, 0U);
  EXPECT_EQ(settings.log_level, log::Level::kInfo);
}

TEST(ServeSettings, HaveTheSameDefaultsAsTheLibrary) {
  const server::Options told = settings_of({}).server;
  const server::Options own;
  EXPECT_EQ(told.parking.enabled, own.parking.enabled);
  EXPECT_EQ(told.parking.park_after, own.parking.park_after);
  EXPECT_EQ(told.parking.freeze_after, Duration(1s)) << "the library freezes only when told to";
  EXPECT_EQ(told.timeouts.handshake, own.timeouts.handshake);
  EXPECT_EQ(told.timeouts.write, own.timeouts.write);
  EXPECT_EQ(told.timeouts.grace, own.timeouts.grace);
  EXPECT_EQ(told.session.max_streams, own.session.max_streams);
  EXPECT_EQ(told.session.max_header_bytes, own.session.max_header_bytes);
  EXPECT_EQ(told.session.max_header_fields, own.session.max_header_fields);
  EXPECT_EQ(told.session.header_timeout, own.session.header_timeout);
  EXPECT_EQ(told.session.idle_timeout, own.session.idle_timeout);
  EXPECT_EQ(told.session.settings_timeout, own.session.settings_timeout);
  EXPECT_EQ(told.session.write_timeout, own.session.write_timeout);
  EXPECT_EQ(told.handlers.max_body_bytes, own.handlers.max_body_bytes);
  EXPECT_EQ(told.handlers.root, own.handlers.root);
  EXPECT_EQ(told.access_log.format, own.access_log.format);
  EXPECT_EQ(told.access_log.file, own.access_log.file);
}

TEST(ServeSettings, TakeEveryOption) {
  const ServeSettings settings = settings_of({"--listen",
                                              "[::]:1",
                                              "--listen",
                                              "unix:/a",
                                              "--tls-listen",
                                              "2",
                                              "--cert",
                                              "c.pem",
                                              "--key",
                                              "k.pem",
                                              "--max-connections",
                                              "99",
                                              "--threads",
                                              "3",
                                              "--park=on",
                                              "--freeze-after",
                                              "2s",
                                              "--park-after",
                                              "50ms",
                                              "--max-streams",
                                              "7",
                                              "--max-header-bytes",
                                              "8KiB",
                                              "--max-header-fields",
                                              "9",
                                              "--max-body-bytes",
                                              "1MB",
                                              "--handshake-timeout",
                                              "1s",
                                              "--preface-timeout",
                                              "2s",
                                              "--header-timeout",
                                              "3s",
                                              "--idle-timeout",
                                              "4m",
                                              "--write-timeout",
                                              "5s",
                                              "--grace",
                                              "6s",
                                              "--root",
                                              "dir",
                                              "--access-log",
                                              "json",
                                              "--access-log-file",
                                              "log",
                                              "--stats",
                                              "unix:/s",
                                              "--stats-token",
                                              "s3cret",
                                              "--log-level",
                                              "debug"});
  const server::Options& server = settings.server;
  EXPECT_EQ(text_of(server.listen), "[::]:1 unix:/a");
  EXPECT_EQ(text_of(server.tls_listen), "127.0.0.1:2");
  EXPECT_EQ(server.tls.certificate, "c.pem");
  EXPECT_EQ(server.tls.key, "k.pem");
  EXPECT_FALSE(server.tls.self_signed);
  EXPECT_EQ(server.max_connections, 99U);
  EXPECT_EQ(server.threads, 3U);
  EXPECT_TRUE(server.parking.enabled);
  EXPECT_EQ(server.parking.park_after, Duration(50ms));
  EXPECT_EQ(server.parking.freeze_after, Duration(2s));
  EXPECT_EQ(server.session.max_streams, 7U);
  EXPECT_EQ(server.session.max_header_bytes, 8192U);
  EXPECT_EQ(server.session.max_header_fields, 9U);
  EXPECT_EQ(server.handlers.max_body_bytes, 1'000'000U);
  EXPECT_EQ(server.timeouts.handshake, Duration(1s));
  EXPECT_EQ(server.session.settings_timeout, Duration(2s));
  EXPECT_EQ(server.session.header_timeout, Duration(3s));
  EXPECT_EQ(server.session.idle_timeout, Duration(4min));
  EXPECT_EQ(server.timeouts.write, Duration(5s));
  EXPECT_EQ(server.session.write_timeout, Duration(5s));
  EXPECT_EQ(server.timeouts.grace, Duration(6s));
  EXPECT_EQ(server.handlers.root, "dir");
  EXPECT_EQ(server.access_log.format, handlers::AccessLogFormat::kJson);
  EXPECT_EQ(server.access_log.file, "log");
  EXPECT_EQ(settings.stats->text(), "unix:/s");
  EXPECT_EQ(settings.stats_token, "s3cret");
  EXPECT_EQ(settings.log_level, log::Level::kDebug);
}

/// A new option must be added to the tests above: this counts what the table has.
TEST(ServeSettings, LeaveNoOptionUntested) { EXPECT_EQ(serve_command().options.size(), 28U); }

TEST(ServeSettings, TurnThingsOff) {
  EXPECT_EQ(settings_of({"--freeze-after", "never"}).server.parking.freeze_after, std::nullopt);
  const ServeSettings settings = settings_of({"--park=off", "--access-log", "off", "--stats", "off"});
  EXPECT_FALSE(settings.server.parking.enabled);
  EXPECT_EQ(settings.server.access_log.format, handlers::AccessLogFormat::kOff);
  EXPECT_FALSE(settings.stats);
}

TEST(ServeSettings, NameTheOptionAndTheReason) {
  EXPECT_EQ(error_of({"--park-after", "5 parsecs"}),
            "serve: --park-after: '5 parsecs' is not a duration (try 50ms, 30s, 3m)");
  EXPECT_EQ(error_of({"--max-header-bytes", "big"}),
            "serve: --max-header-bytes: 'big' is not a size (try 100, 64KiB, 1MiB)");
  EXPECT_EQ(error_of({"--threads", "two"}), "serve: --threads: 'two' is not a whole number");
  EXPECT_EQ(error_of({"--listen", "example:http"}),
            "serve: --listen: 'example:http': 'http' is not a port number");
}

TEST(ServeSettings, KeepNumbersWithinBounds) {
  for (const char* option : {"--threads", "--max-connections", "--max-streams", "--max-header-fields"}) {
    EXPECT_EQ(error_of({option, "0"}), "serve: " + std::string(option) + ": '0' is too small (at least 1)");
    EXPECT_NE(error_of({option, "99999999999"}), "") << option;
    EXPECT_EQ(error_of({option, "1"}), "") << option;
  }
  EXPECT_EQ(error_of({"--threads", "1024"}), "");
  EXPECT_EQ(error_of({"--threads", "1025"}), "serve: --threads: '1025' is too large (at most 1024)");
  EXPECT_EQ(error_of({"--max-header-bytes", "1023"}),
            "serve: --max-header-bytes: '1023' is too small (at least 1KiB)");
  EXPECT_EQ(error_of({"--max-header-bytes", "17MiB"}),
            "serve: --max-header-bytes: '17MiB' is too large (at most 16MiB)");
  EXPECT_EQ(error_of({"--max-body-bytes", "0"}), "");
}

TEST(ServeSettings, RefuseATimeoutOfNothingOrForEver) {
  for (const char* option : {"--handshake-timeout", "--preface-timeout", "--header-timeout", "--idle-timeout",
                             "--write-timeout"}) {
    EXPECT_EQ(error_of({option, "0"}), "serve: " + std::string(option) + ": must be at least 1ms");
    EXPECT_EQ(error_of({option, "1ms"}), "");
    EXPECT_EQ(error_of({option, "8761h"}),
              "serve: " + std::string(option) + ": '8761h' is too long (at most a year)");
  }
  EXPECT_EQ(error_of({"--park-after", "0"}), "");
  EXPECT_EQ(error_of({"--grace", "0"}), "");
}

TEST(ServeSettings, ListenOnTlsOnlyWhenOnlyThatIsSaid) {
  const server::Options only = settings_of({"--tls-listen", "8443", "--self-signed"}).server;
  EXPECT_EQ(text_of(only.listen), "");
  EXPECT_EQ(text_of(only.tls_listen), "127.0.0.1:8443");
  const server::Options both = settings_of({"--tls-listen", "8443", "--self-signed", "--listen", "1"}).server;
  EXPECT_EQ(text_of(both.listen), "127.0.0.1:1");
}

TEST(ServeSettings, WantACertificateForTls) {
  EXPECT_EQ(error_of({"--tls-listen", "1"}), "serve: --tls-listen: needs --cert and --key, or --self-signed");
  EXPECT_EQ(error_of({"--tls-listen", "1", "--cert", "c"}), "serve: --cert: needs --key");
  EXPECT_EQ(error_of({"--tls-listen", "1", "--key", "k"}), "serve: --key: needs --cert");
  EXPECT_EQ(error_of({"--tls-listen", "1", "--self-signed", "--cert", "c"}),
            "serve: --self-signed: does not go with --cert");
  EXPECT_EQ(error_of({"--tls-listen", "1", "--self-signed", "--key", "k"}),
            "serve: --self-signed: does not go with --key");
}

TEST(ServeSettings, WantTlsForACertificate) {
  EXPECT_EQ(error_of({"--cert", "c", "--key", "k"}), "serve: --cert: needs --tls-listen");
  EXPECT_EQ(error_of({"--key", "k"}), "serve: --key: needs --tls-listen");
  EXPECT_EQ(error_of({"--self-signed"}), "serve: --self-signed: needs --tls-listen");
}

TEST(ServeSettings, RefuseOptionsThatCancelEachOther) {
  EXPECT_EQ(error_of({"--access-log", "off", "--access-log-file", "f"}),
            "serve: --access-log-file: does not go with --access-log off");
  EXPECT_EQ(error_of({"--park=off", "--freeze-after", "1s"}),
            "serve: --freeze-after: does not go with --park=off");
  EXPECT_EQ(error_of({"--park=off", "--park-after", "1s"}),
            "serve: --park-after: does not go with --park=off");
}

TEST(ServeSettings, RefuseAnAddressTwice) {
  EXPECT_EQ(error_of({"--listen", "1", "--listen", "127.0.0.1:1"}),
            "serve: --listen: 127.0.0.1:1 is given more than once");
  EXPECT_EQ(error_of({"--listen", "1", "--tls-listen", "1", "--self-signed"}),
            "serve: --tls-listen: 127.0.0.1:1 is given more than once");
  EXPECT_EQ(error_of({"--stats", "8080"}), "serve: --stats: 127.0.0.1:8080 is given more than once");
  EXPECT_EQ(error_of({"--listen", "unix:/a", "--listen", "unix:/a"}),
            "serve: --listen: unix:/a is given more than once");
}

TEST(ServeSettings, TakeAFreePortTwice) {
  EXPECT_EQ(text_of(settings_of({"--listen", "0", "--listen", "0", "--stats", "0"}).server.listen),
            "127.0.0.1:0 127.0.0.1:0");
}

TEST(ServeSettings, KeepStatisticsOnLoopback) {
  for (const char* address : {"0.0.0.0:8081", "[::]:8081", "192.0.2.1:8081"}) {
    EXPECT_EQ(error_of({"--stats", address}), "serve: --stats: " + std::string(address) +
                                                  " is not a loopback address and needs --stats-token");
    const ServeSettings settings = settings_of({"--stats", address, "--stats-token", "s3cret"});
    EXPECT_EQ(settings.stats->text(), address);
    EXPECT_EQ(settings.stats_token, "s3cret");
  }
  for (const char* address : {"127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "unix:/s"}) {
    EXPECT_EQ(error_of({"--stats", address}), "") << address;
  }
}

TEST(ServeSettings, CheckTheTokenOfTheStatistics) {
  EXPECT_EQ(settings_of({}).stats_token, "");
  EXPECT_EQ(settings_of({"--stats-token", "s3cret"}).stats_token, "s3cret");
  EXPECT_EQ(error_of({"--stats-token", "a b"}),
            "serve: --stats-token: a token has letters, digits and -._~+/ only, with '=' at its end");
  EXPECT_EQ(error_of({"--stats", "off", "--stats-token", "s3cret"}),
            "serve: --stats-token: does not go with --stats off");
  const auto missing = parse({"--stats-token", "@/does/not/exist"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().exit, Error::Exit::kFailure);
  EXPECT_EQ(missing.error().message, "serve: --stats-token: /does/not/exist: No such file or directory");
}

TEST(ServeSettings, ReportTheFirstOfSeveralFaultsOnly) {
  const std::string line = error_of({"--threads", "0", "--idle-timeout", "x", "--listen", "y"});
  EXPECT_EQ(line, "serve: --threads: '0' is too small (at least 1)");
}

}  // namespace
}  // namespace h2park::cmd
