#include "cmd/stat_settings.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

Result<StatSettings> parse(Words arguments) {
  arguments.insert(arguments.begin(), "stat");
  const auto line = parse_command_line(arguments);
  if (!line) return std::unexpected(line.error());
  return parse_stat(line->values);
}

StatSettings settings_of(const Words& arguments) {
  const auto settings = parse(arguments);
  EXPECT_TRUE(settings) << settings.error().message;
  return settings.value_or(StatSettings{});
}

std::string error_of(const Words& arguments) {
  const auto settings = parse(arguments);
  if (settings) return "";
  EXPECT_EQ(settings.error().exit, Error::Exit::kUsage);
  return settings.error().message;
}

std::string address_of(const StatSettings& settings) {
  return std::get<net::Endpoint>(settings.place).text();
}

TEST(StatSettings, ReadTheDefaultServerOnce) {
  const StatSettings settings = settings_of({});
  EXPECT_EQ(address_of(settings), "127.0.0.1:8081");
  EXPECT_EQ(settings.format, StatFormat::kText);
  EXPECT_TRUE(settings.is_plain());
  EXPECT_FALSE(settings.watch || settings.count || settings.until || settings.timeout);
}

TEST(StatSettings, TakeWatchWithAndWithoutAnInterval) {
  EXPECT_EQ(settings_of({"--watch"}).watch, 1s);
  EXPECT_EQ(settings_of({"-w"}).watch, 1s);
  EXPECT_EQ(settings_of({"--watch", "250ms"}).watch, 250ms);
  EXPECT_EQ(settings_of({"--watch=2s"}).watch, 2s);
  EXPECT_EQ(settings_of({"-w", "2s"}).watch, 2s);
  EXPECT_EQ(settings_of({"-w2s"}).watch, 2s);
}

TEST(StatSettings, DoNotTakeAnAddressForAnInterval) {
  for (const Words& words :
       {Words{"--watch", "9999"}, {"-w", "9999"}, {"9999", "--watch"}, {"--watch", "--", "9999"}}) {
    const StatSettings settings = settings_of(words);
    EXPECT_EQ(settings.watch, 1s);
    EXPECT_EQ(address_of(settings), "127.0.0.1:9999");
  }
  EXPECT_EQ(address_of(settings_of({"--watch", "5s", "9999"})), "127.0.0.1:9999");
  EXPECT_EQ(settings_of({"--watch", "--count", "3"}).count, 3U);
}

TEST(StatSettings, LetCountImplyWatch) {
  EXPECT_EQ(settings_of({"-n", "3"}).watch, 1s);
  EXPECT_EQ(settings_of({"-n", "3", "--watch", "10ms"}).watch, 10ms);
}

TEST(StatSettings, ReadFieldsInTheirOrder) {
  const StatSettings settings = settings_of({"--fields", "tasks.live,connections", "-f", "json"});
  ASSERT_EQ(settings.fields.size(), 2U);
  EXPECT_EQ(settings.fields[0].text, "tasks.live");
  EXPECT_EQ(settings.fields[1].text, "connections");
  EXPECT_FALSE(settings.is_plain());
}

TEST(StatSettings, ReadAProcessWithItsOwnFields) {
  const StatSettings settings =
      settings_of({"--pid", "42", "--fields", "process.rss_bytes", "--until", "process.threads>1"});
  EXPECT_EQ(std::get<Pid>(settings.place), 42U);
  EXPECT_EQ(error_of({"--pid", "42", "--fields", "tasks.live"}).substr(0, 46),
            "stat: --fields: unknown field 'tasks.live'; th");
}

TEST(StatSettings, ReadATimeoutAndATokenWithWhatTheyBelongTo) {
  const StatSettings settings =
      settings_of({"--until", "tasks.live<8", "--timeout", "0", "--stats-token", "abc"});
  EXPECT_EQ(settings.timeout, 0s);
  EXPECT_EQ(settings.token, "abc");
  ASSERT_TRUE(settings.until);
  EXPECT_EQ(settings.until->text(), "tasks.live<8");
}

TEST(StatSettings, NameWhatIsWrong) {
  EXPECT_EQ(error_of({"127.0.0.1:0"}), "stat: ADDR: port 0 is nobody's");
  EXPECT_EQ(error_of({"--watch", "0"}), "stat: --watch: must be at least 10ms");
  EXPECT_EQ(error_of({"--watch=soon"}), "stat: --watch: 'soon' is not a duration (try 50ms, 30s, 3m)");
  EXPECT_EQ(error_of({"--watch=9000h"}), "stat: --watch: '9000h' is too long (at most a year)");
  EXPECT_EQ(error_of({"--count", "0"}), "stat: --count: '0' is too small (at least 1)");
  EXPECT_EQ(error_of({"--pid", "x"}), "stat: --pid: 'x' is not a whole number");
  EXPECT_EQ(error_of({"--fields", "tasks.live,,version"}), "stat: --fields: a name is empty");
  EXPECT_EQ(error_of({"--fields", "tasks.liv"}),
            "stat: --fields: unknown field 'tasks.liv'; tasks has live, serve, handler, other, created");
  EXPECT_EQ(error_of({"--until", "tasks.live"}),
            "stat: --until: column 11: the expression ends where <, <=, >, >=, == or != is expected");
  EXPECT_EQ(error_of({"--stats-token", "a b"}),
            "stat: --stats-token: a token has letters, digits and -._~+/ only, with '=' at its end");
}

TEST(StatSettings, RefuseWhatDoesNotGoTogether) {
  EXPECT_EQ(error_of({"--timeout", "1s"}), "stat: --timeout: needs --until");
  EXPECT_EQ(error_of({"--pid", "1", "8081"}), "stat: --pid: does not go with ADDR");
  EXPECT_EQ(error_of({"--pid", "1", "--diff", "x"}), "stat: --pid: does not go with --diff");
  EXPECT_EQ(error_of({"--pid", "1", "--stats-token", "x"}), "stat: --pid: does not go with --stats-token");
  EXPECT_EQ(error_of({"--diff", "x", "--watch"}), "stat: --diff: does not go with --watch");
  EXPECT_EQ(error_of({"--diff", "x", "--until", "tasks.live<1"}), "stat: --diff: does not go with --until");
  EXPECT_EQ(error_of({"--diff", "x", "-f", "prom"}), "stat: --diff: does not go with --format prom");
  EXPECT_EQ(error_of({"--count", "1", "--until", "tasks.live<1"}), "stat: --count: does not go with --until");
  EXPECT_EQ(error_of({"--fields", "requests.total/s"}),
            "stat: --fields: 'requests.total/s' needs --watch: a rate takes two readings");
  EXPECT_EQ(
      error_of({"--fields", "requests.total/s", "-w", "-f", "prom"}),
      "stat: --fields: 'requests.total/s' does not go with --format prom: Prometheus makes rates itself");
}

}  // namespace
}  // namespace h2park::cmd
