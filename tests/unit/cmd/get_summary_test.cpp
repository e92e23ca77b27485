#include "cmd/get_summary.hpp"

#include "get_records.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using records::failed_record;
using records::fresh_record;
using records::outcome_of;
using records::reused_record;

SummaryContext context() {
  SummaryContext context;
  context.counts.opened = 1;
  context.counts.reused = 1;
  context.counts.closed[static_cast<std::size_t>(client::CloseReason::kDone)] = 1;
  context.counts.drains[static_cast<std::size_t>(client::DrainResult::kDrained)] = 1;
  context.duration = 2s;
  return context;
}

Summary three() {
  Summary summary;
  summary.add(outcome_of(fresh_record()));
  summary.add(outcome_of(reused_record()));
  summary.add(outcome_of(failed_record()));
  return summary;
}

boost::json::object json_of(const Summary& summary) {
  return boost::json::parse(summary_json(summary, context())).as_object().at("summary").as_object();
}

TEST(Summary, CountsRequestsErrorsAndStatuses) {
  const boost::json::object json = json_of(three());
  EXPECT_EQ(json.at("requests").as_int64(), 3);
  EXPECT_EQ(json.at("errors"), boost::json::parse(R"({"connect":1})"));
  EXPECT_EQ(json.at("statuses"), boost::json::parse(R"({"2xx":2})"));
  EXPECT_EQ(json.at("bytes").as_int64(), 26);
  EXPECT_DOUBLE_EQ(json.at("duration_s").as_double(), 2);
  EXPECT_DOUBLE_EQ(json.at("requests_per_second").as_double(), 1.5);
  EXPECT_EQ(three().failures(), 1U);
}

TEST(Summary, NamesConnectionsAndDrains) {
  const boost::json::object json = json_of(three());
  EXPECT_EQ(json.at("connections"), boost::json::parse(R"({"opened":1,"reused":1,"closed":{"done":1}})"));
  EXPECT_EQ(json.at("drains"), boost::json::parse(R"({"drained":1})"));
}

TEST(Summary, MeasuresPhasesOfWhatSucceeded) {
  const boost::json::object timings = json_of(three()).at("timings").as_object();
  EXPECT_TRUE(timings.at("tls").is_null());
  const boost::json::object& connect = timings.at("connect").as_object();
  EXPECT_EQ(connect.at("count").as_int64(), 1);  // the reused connection had no such phase
  const boost::json::object& total = timings.at("total").as_object();
  EXPECT_EQ(total.at("count").as_int64(), 2);
  EXPECT_DOUBLE_EQ(total.at("min").as_double(), 2);
  EXPECT_DOUBLE_EQ(total.at("mean").as_double(), 8.5);
  EXPECT_DOUBLE_EQ(total.at("max").as_double(), 15);
  for (const char* name : {"p50", "p90", "p99"}) EXPECT_TRUE(total.contains(name)) << name;
  EXPECT_EQ(timings.size(), kPhases + 1);
}

TEST(Summary, CountsLatencyFromWhenARequestWasDue) {
  Summary summary;
  const client::Record record = fresh_record();
  Outcome late = outcome_of(record);
  late.due = records::kStart - 100ms;
  summary.add(late);
  EXPECT_EQ(summary.latency().max(), Duration(115ms));
  EXPECT_EQ(summary.phase(Phase::kTotal).max(), Duration(15ms));
}

TEST(Summary, KeepsWhatWasGivenUpApart) {
  Summary summary = three();
  summary.add_cancelled(4);
  EXPECT_EQ(summary.failures(), 1U);
  EXPECT_EQ(json_of(summary).at("errors"), boost::json::parse(R"({"connect":1,"cancelled":4})"));
}

TEST(Summary, IsATableForPeople) {
  const std::string text = summary_text(three(), context());
  for (const char* line : {"Requests     3 in 2.00 s, 1.5 per second, 26 B read\n", "Status       2xx 2\n",
                           "Errors       connect 1\n", "Connections  opened 1, reused 1 times\n",
                           "Closed       done 1\n", "Drains       drained 1\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
  EXPECT_NE(text.find("connect        2.00 ms    2.00 ms"), std::string::npos) << text;
  EXPECT_EQ(text.find("latency "), std::string::npos) << text;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(end - from, 80U) << text;
    EXPECT_NE(text[end - (end > from ? 1 : 0)], ' ') << text;
    from = end + 1;
  }
}

TEST(Summary, DrawsEveryRequestIntoItsHistogram) {
  Summary summary;
  for (int i = 0; i < 1000; ++i) {
    client::Record record = fresh_record();
    record.timings.end = record.timings.start + std::chrono::microseconds(1000 + i);
    if (i == 999) record.timings.end = record.timings.start + 5s;
    summary.add(outcome_of(record));
  }
  const std::string text = summary_text(summary, context());
  const std::string bars = text.substr(text.find("\nLatency\n") + 9);
  std::uint64_t drawn = 0;
  std::size_t rows = 0;
  for (std::size_t from = 0; from < bars.size(); from = bars.find('\n', from) + 1, ++rows) {
    drawn += std::stoull(bars.substr(from + 12, 10));
  }
  EXPECT_EQ(drawn, 1000U) << text;
  EXPECT_EQ(rows, 11U) << text;
  EXPECT_NE(bars.find(".."), std::string::npos) << "one is far above the others\n" << text;
}

TEST(Summary, OfNothingHasNoTable) {
  const std::string text = summary_text(Summary(), context());
  EXPECT_EQ(text.find("Phase"), std::string::npos);
  EXPECT_TRUE(json_of(Summary()).at("timings").as_object().at("total").is_null());
}

TEST(ShortDuration, HasThreeDigitsThatCount) {
  EXPECT_EQ(short_duration(999ns), "0 us");
  EXPECT_EQ(short_duration(1500ns), "1.50 us");
  EXPECT_EQ(short_duration(12'340us), "12.3 ms");
  EXPECT_EQ(short_duration(123'400us), "123 ms");
  EXPECT_EQ(short_duration(61s), "61.0 s");
}

TEST(ShortSize, HasPowersOf1024) {
  EXPECT_EQ(short_size(0), "0 B");
  EXPECT_EQ(short_size(1023), "1023 B");
  EXPECT_EQ(short_size(1536), "1.5 KiB");
}

}  // namespace
}  // namespace h2park::cmd
