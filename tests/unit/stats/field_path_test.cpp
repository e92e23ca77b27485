#include "stats/field_path.hpp"

#include "stats/process_reading.hpp"

#include <gtest/gtest.h>

namespace h2park::stats {
namespace {

FieldPath path(std::string_view name) {
  const auto parsed = parse_field(name, server_fields());
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed.value_or(FieldPath{});
}

std::string error_of(std::string_view name, const KnownFields& known = server_fields()) {
  const auto parsed = parse_field(name, known);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().exit, Error::Exit::kUsage);
  return parsed.error().message;
}

Snapshot snapshot() {
  Snapshot s;
  s.connections.open = 3;
  s.connections.closed = {{{"client", 12}, {"idle", 0}}};
  return s;
}

std::vector<std::string> names(std::span<const FieldPath> paths) {
  std::vector<std::string> out;
  const auto entries = select(to_reading(snapshot()), paths);
  EXPECT_TRUE(entries) << entries.error().message;
  for (const Entry& entry : *entries) out.push_back(entry.name());
  return out;
}

using Names = std::vector<std::string>;

TEST(FieldPath, NamesAFieldAKeyATallyAGroupOrARate) {
  EXPECT_EQ(path("connections.open").field->name, "open");
  EXPECT_EQ(path("version").field->name, "version");
  EXPECT_EQ(path("time").field, &time_field());
  EXPECT_EQ(path("connections.closed.idle").key, "idle");
  EXPECT_EQ(path("connections.closed").key, "");
  EXPECT_EQ(path("connections").field, nullptr);
  EXPECT_TRUE(path("requests.total/s").per_second);
  EXPECT_TRUE(path("parking_events.wakes_by.timer/s").per_second);
}

TEST(FieldPath, IsSingleOnlyWhereOneNumberIsMeant) {
  EXPECT_TRUE(path("connections.open").is_single());
  EXPECT_TRUE(path("connections.closed.idle").is_single());
  EXPECT_FALSE(path("connections.closed").is_single());
  EXPECT_FALSE(path("connections").is_single());
}

TEST(FieldPath, NamesWhatIsUnknownAndWhatThereIs) {
  EXPECT_EQ(error_of("tasks.liv"),
            "unknown field 'tasks.liv'; tasks has live, serve, handler, other, created");
  EXPECT_TRUE(error_of("conections.open")
                  .starts_with("unknown field 'conections.open'; there is time, version, pid,"));
  EXPECT_NE(error_of("x").find("connections.*, tasks.*"), std::string::npos) << error_of("x");
  EXPECT_TRUE(error_of("").starts_with("unknown field ''"));
  for (const char* name : {"connections.open.x", "connections.closed.", "connections.", ".open",
                           "connections/s", "versionx", "process.rss_bytes"}) {
    EXPECT_NE(error_of(name).find(std::string("'") + name + "'"), std::string::npos) << name;
  }
  EXPECT_EQ(error_of("a\x1b[2Jb").find('\x1b'), std::string::npos);
}

TEST(FieldPath, RefusesTheRateOfWhatIsNoCounter) {
  EXPECT_EQ(error_of("connections.open/s"),
            "'connections.open/s': only counters have a rate, and connections.open is none");
}

TEST(FieldPath, KnowsTheFieldsOfAProcessApart) {
  EXPECT_EQ(error_of("process.rss_bytes", process_fields()), "");
  EXPECT_TRUE(error_of("memory.rss_bytes", process_fields()).starts_with("unknown field 'memory.rss_bytes'"));
}

TEST(FieldPath, SelectsInTheOrderOfThePaths) {
  EXPECT_EQ(names(std::vector{path("connections.closed"), path("connections.open")}),
            (Names{"connections.closed.client", "connections.closed.idle", "connections.open"}));
  const Names group = names(std::vector{path("connections")});
  EXPECT_EQ(group.front(), "connections.open");
  EXPECT_EQ(group.back(), "connections.closed.idle");
}

TEST(FieldPath, SelectsNullForWhatTheReadingLacks) {
  EXPECT_EQ(names(std::vector{path("time"), path("requests.total/s")}), (Names{"time", "requests.total/s"}));
  // Nobody knows the keys of a tally that is null.
  EXPECT_EQ(names(std::vector{path("requests.by_status.2xx")}), Names{"requests.by_status.2xx"});
}

TEST(FieldPath, RefusesAKeyThatTheTallyDoesNotHave) {
  const auto chosen = select(to_reading(snapshot()), std::vector{path("connections.closed.idel")});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().message, "unknown field 'connections.closed.idel'; closed has client, idle");
  EXPECT_EQ(chosen.error().exit, Error::Exit::kUsage);
}

}  // namespace
}  // namespace h2park::stats
