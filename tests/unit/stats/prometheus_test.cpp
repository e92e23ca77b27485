#include "stats/prometheus.hpp"

#include "stats/fields.hpp"
#include "stats/process_reading.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>
#include <set>

namespace h2park::stats {
namespace {

Snapshot snapshot() {
  Snapshot s;
  s.server = {.version = "1.2\"3\\\n", .pid = 7, .uptime_s = 1.5, .parking = false, .threads = 2};
  s.connections = {.open = 3, .accepted = 5, .closed = {{{"client", 12}, {"idle", 0}}}};
  s.memory = {.rss_bytes = 4096, .bytes_per_parked_connection = 219};
  s.parking_events = {.parks = 4, .wakes = 3, .wakes_by = {{{"timer", 3}}}};
  s.requests = {.total = 9, .by_status = {{{"2xx", 8}}}};
  return s;
}

bool has(const std::string& text, const std::string& lines) {
  return ("\n" + text).find("\n" + lines) != std::string::npos;
}

TEST(Prometheus, WritesHelpTypeAndValueOfEachFigure) {
  const std::string text = to_prometheus(snapshot());
  EXPECT_TRUE(has(text,
                  "# HELP h2park_connections_open Connections now open.\n"
                  "# TYPE h2park_connections_open gauge\n"
                  "h2park_connections_open 3\n"))
      << text;
  EXPECT_TRUE(
      has(text, "# TYPE h2park_connections_accepted_total counter\nh2park_connections_accepted_total 5\n"));
  EXPECT_TRUE(has(text, "h2park_uptime_seconds 1.5\n"));
  EXPECT_TRUE(has(text, "h2park_parking_enabled 0\n"));
  EXPECT_TRUE(has(text, "h2park_memory_rss_bytes 4096\n"));
  EXPECT_TRUE(has(text, "h2park_memory_parked_connection_bytes 219\n"));
  EXPECT_TRUE(has(text, "h2park_requests_total 9\n"));
}

TEST(Prometheus, MakesALabelOfATallysKeyUnderOneHead) {
  EXPECT_TRUE(has(to_prometheus(snapshot()),
                  "# TYPE h2park_connections_closed_total counter\n"
                  "h2park_connections_closed_total{reason=\"client\"} 12\n"
                  "h2park_connections_closed_total{reason=\"idle\"} 0\n"));
  EXPECT_TRUE(has(to_prometheus(snapshot()), "h2park_wakes_total{sender=\"timer\"} 3\n"));
  EXPECT_TRUE(has(to_prometheus(snapshot()), "h2park_responses_total{class=\"2xx\"} 8\n"));
}

TEST(Prometheus, MakesALabelOfAText) {
  EXPECT_TRUE(has(to_prometheus(snapshot()), "h2park_build_info{version=\"1.2\\\"3\\\\\\n\"} 1\n"));
}

TEST(Prometheus, LeavesOutWhatIsNullWithItsHead) {
  const std::string text = to_prometheus(snapshot());
  EXPECT_EQ(text.find("frozen"), std::string::npos);
  EXPECT_EQ(text.find("h2park_tasks"), std::string::npos);
  EXPECT_EQ(to_prometheus(Snapshot{}), "");
}

TEST(Prometheus, LeavesOutRates) {
  Reading reading = to_reading(snapshot());
  const std::string before = to_prometheus(reading);
  Entry rate = *reading.find("requests.total");
  rate.per_second = true;
  reading.entries.push_back(rate);
  EXPECT_EQ(to_prometheus(reading), before);
}

/// One value in the bucket up to 10 us, two of them in the one up to 100 s, one above.
DurationTally tally() {
  DurationTally out;
  out.counts[3] = 1;
  out.counts[24] = 2;
  out.counts[25] = 1;
  out.nanoseconds = 361'000'008'500;
  return out;
}

TEST(Prometheus, WritesAHistogramWithBucketsThatIncludeTheSmallerOnes) {
  Snapshot s = snapshot();
  s.timings.emplace().request_duration = tally();
  const std::string text = to_prometheus(s);
  EXPECT_TRUE(has(text,
                  "# TYPE h2park_request_duration_seconds histogram\n"
                  "h2park_request_duration_seconds_bucket{le=\"0.000001\"} 0\n"
                  "h2park_request_duration_seconds_bucket{le=\"0.0000025\"} 0\n"
                  "h2park_request_duration_seconds_bucket{le=\"0.000005\"} 0\n"
                  "h2park_request_duration_seconds_bucket{le=\"0.00001\"} 1\n"
                  "h2park_request_duration_seconds_bucket{le=\"0.000025\"} 1\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "h2park_request_duration_seconds_bucket{le=\"50\"} 1\n"
                  "h2park_request_duration_seconds_bucket{le=\"100\"} 3\n"
                  "h2park_request_duration_seconds_bucket{le=\"+Inf\"} 4\n"
                  "h2park_request_duration_seconds_sum 361.0000085\n"
                  "h2park_request_duration_seconds_count 4\n"))
      << text;
}

TEST(Prometheus, TellsAHistogramsSeriesApartByLabel) {
  Snapshot s = snapshot();
  s.timings.emplace().wake_latency[2] = tally();
  const std::string text = to_prometheus(s);
  EXPECT_TRUE(has(text,
                  "h2park_wake_latency_seconds_bucket{depth=\"frozen\",le=\"+Inf\"} 4\n"
                  "h2park_wake_latency_seconds_sum{depth=\"frozen\"} 361.0000085\n"
                  "h2park_wake_latency_seconds_count{depth=\"frozen\"} 4\n"))
      << text;
  EXPECT_TRUE(has(text, "h2park_wake_latency_seconds_count{depth=\"active\"} 0\n")) << text;
  EXPECT_TRUE(has(text, "h2park_wake_latency_seconds_count{depth=\"parked\"} 0\n")) << text;
  std::size_t heads = 0;
  for (std::size_t at = 0; (at = text.find("# TYPE h2park_wake_latency_seconds ", at)) != text.npos; ++at)
    ++heads;
  EXPECT_EQ(heads, 1U);
}

TEST(Prometheus, ListsTheHistogramsThatItWrites) {
  Snapshot s;
  s.timings.emplace();
  const std::string text = to_prometheus(s);
  std::size_t heads = 0;
  for (std::size_t at = 0; (at = text.find(" histogram\n", at)) != text.npos; ++at) ++heads;
  EXPECT_EQ(heads, histograms().size());
  for (const HistogramInfo& histogram : histograms()) {
    EXPECT_TRUE(histogram.metric.ends_with("_seconds"));
    EXPECT_TRUE(
        has(text, "# HELP " + std::string(histogram.metric) + " " + std::string(histogram.help) + ".\n"));
  }
}

/// What `promtool check metrics` looks for, and that no name is used twice.
void want_conventional_names(const std::vector<const FieldInfo*>& fields) {
  const std::regex form("(h2park|process)_[a-z0-9_]+");
  std::set<std::string_view> seen;
  for (const FieldInfo* field : fields) {
    const std::string_view name = field->metric;
    if (name.empty()) continue;
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_TRUE(std::regex_match(std::string(name), form)) << name;
    EXPECT_EQ(name.ends_with("_total"), field->kind == Kind::kCounter) << name;
    const std::string_view stem = name.substr(0, name.size() - (name.ends_with("_total") ? 6 : 0));
    EXPECT_EQ(stem.ends_with("_bytes"), field->unit == Unit::kBytes) << name;
    EXPECT_EQ(stem.ends_with("_seconds"), field->unit == Unit::kSeconds) << name;
    for (const char* reserved : {"_count", "_sum", "_bucket"}) EXPECT_FALSE(name.ends_with(reserved)) << name;
    EXPECT_FALSE(field->help.empty());
    EXPECT_EQ(field->help.find('\n'), std::string_view::npos);
  }
}

TEST(Prometheus, NamesMetricsByItsConventions) {
  want_conventional_names(server_fields());
  want_conventional_names(process_fields());
}

TEST(Prometheus, LeavesNoFigureWithoutANameByAccident) {
  std::vector<std::string> without;
  for (const Field& field : fields()) {
    if (field.metric.empty()) without.emplace_back(field.name);
  }
  // No quantity; and the sum of wakes_by, which Prometheus makes itself.
  EXPECT_EQ(without, (std::vector<std::string>{"pid", "wakes"}));
}

TEST(Prometheus, WritesAProcessToo) {
  const auto reading = read_process(static_cast<std::uint64_t>(::getpid()));
  ASSERT_TRUE(reading) << reading.error().message;
  const std::string text = to_prometheus(*reading);
  EXPECT_TRUE(has(text, "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes "))
      << text;
  EXPECT_TRUE(has(text, "# TYPE process_cpu_seconds_total counter\n")) << text;
}

}  // namespace
}  // namespace h2park::stats
