#include "cmd/stat_diff.hpp"

#include "stat_rig.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include <boost/json.hpp>

namespace h2park::cmd {
namespace {

std::vector<stats::FieldPath> paths(const std::vector<const char*>& names) {
  std::vector<stats::FieldPath> out;
  for (const char* name : names) out.push_back(stats::parse_field(name, stats::server_fields()).value());
  return out;
}

StatDiff compare(const stats::Snapshot& old, const stats::Snapshot& now,
                 const std::vector<const char*>& names = {}) {
  return compare_readings(stats::to_reading(old), stats::to_reading(now), paths(names)).value();
}

TEST(StatDiff, ShowsOldNewDifferenceAndTheRateOfCounters) {
  const StatDiff diff =
      compare(server_at(10, 5, 100), server_at(14, 3, 300),
              {"version", "connections.open", "requests.total", "memory.slot_bytes", "uptime_s"});
  EXPECT_EQ("\n" + diff_text(diff), R"(
4 s between them
field                old    new  difference  per second
version            1.2.3  1.2.3
connections.open       5      3          -2
requests.total       100    300        +200          50
memory.slot_bytes      -      -
uptime_s              10     14          +4
)");
}

TEST(StatDiff, SaysThatTheServerWasRestartedAndComparesNoCounters) {
  const StatDiff diff =
      compare(server_at(10, 5, 100), server_at(14, 3, 300, 99), {"connections.open", "requests.total"});
  EXPECT_TRUE(diff.restarted);
  EXPECT_EQ("\n" + diff_text(diff), R"(
the server was restarted (pid 42, now 99): its counters began again at 0
field             old  new  difference  per second
connections.open    5    3          -2
requests.total    100  300
)");
  EXPECT_TRUE(diff_text(compare(server_at(10, 5, 100), server_at(3, 5, 100)))
                  .starts_with("the server was restarted: its counters"));
}

TEST(StatDiff, IsJsonWithPlainNumbers) {
  const StatDiff diff =
      compare(server_at(10, 5, 100), server_at(12.5, 7, 101),
              {"version", "parking", "connections.open", "requests.total", "memory.slot_bytes"});
  EXPECT_EQ(diff_json(diff), R"({"restarted":false,"elapsed_s":2.5,"fields":{)"
                             R"("version":{"old":"1.2.3","new":"1.2.3","difference":null},)"
                             R"("parking":{"old":true,"new":true,"difference":null},)"
                             R"("connections.open":{"old":5,"new":7,"difference":2},)"
                             R"("requests.total":{"old":100,"new":101,"difference":1,"per_second":0.4},)"
                             R"("memory.slot_bytes":{"old":null,"new":null,"difference":null}}})"
                             "\n");
}

TEST(StatDiff, HasEveryFieldUnlessSomeAreChosen) {
  const StatDiff diff = compare(server_at(10, 5, 100), server_at(12.5, 7, 101));
  EXPECT_EQ(diff.rows.size(), stats::to_reading(server_at(0, 0, 0)).entries.size());
  boost::system::error_code error;
  boost::json::parse(diff_json(diff), error);
  EXPECT_FALSE(error);
}

TEST(StatDiff, HasNoOldValueForWhatTheSnapshotDidNotKnow) {
  stats::Snapshot old = server_at(10, 5, 100);
  old.connections.closed = {{{"client", 0}}};
  const StatDiff diff = compare(old, server_at(12, 7, 101), {"connections.closed.idle"});
  EXPECT_TRUE(stats::is_null(diff.rows.front().old));
  EXPECT_EQ(diff.rows.front().difference, std::nullopt);
}

class SnapshotFile : public ::testing::Test {
 protected:
  ~SnapshotFile() override { ::unlink(path_.c_str()); }
  std::string with(const std::string& content) {
    std::ofstream(path_) << content;
    return path_;
  }
  std::string path_ = ::testing::TempDir() + "h2park-snapshot-" + std::to_string(::getpid());
};

TEST_F(SnapshotFile, IsWhatFormatJsonWrites) {
  const auto reading = read_snapshot_file(with(stats::to_json(server_at(10, 5, 100))));
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_EQ(reading->number("connections.open"), 5.0);
}

TEST_F(SnapshotFile, IsNamedWhereItCannotBeRead) {
  EXPECT_EQ(read_snapshot_file("/nowhere/x.json").error().message,
            "/nowhere/x.json: No such file or directory");
  EXPECT_EQ(read_snapshot_file("/proc").error().message, "/proc: Is a directory");
  EXPECT_EQ(read_snapshot_file(with("{}")).error().message, path_ + ": not the statistics of h2park");
  EXPECT_TRUE(read_snapshot_file(with("")).error().message.starts_with(path_ + ": not JSON: "));
}

}  // namespace
}  // namespace h2park::cmd
