#include "cmd/get_json.hpp"

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

std::string line_of(const client::Record& record, bool fail_on_status = false) {
  std::string line;
  append_json_line(line, outcome_of(record, fail_on_status));
  return line;
}

TEST(GetJson, WritesARequestOnANewConnection) {
  EXPECT_EQ(
      line_of(fresh_record()),
      "{\"url\":\"http://example.org/a\",\"method\":\"GET\",\"status\":200,\"protocol\":\"HTTP/"
      "1.1\",\"bytes\":13,"
      "\"timings\":{\"dns\":1.000,\"connect\":2.000,\"tls\":0.000,\"send\":3.000,\"wait\":4.000,"
      "\"first_byte\":10.000,\"read\":5.000,\"total\":15.000},"
      "\"connection\":{\"id\":1,\"reused\":false,\"idle_ms\":null,\"requests\":1,\"miss_reason\":\"first\"},"
      "\"drain\":{\"result\":\"complete\",\"bytes\":0,\"ms\":0.000},\"error\":null}\n");
}

TEST(GetJson, WritesAReusedConnectionAndItsDrain) {
  const std::string line = line_of(reused_record());
  EXPECT_NE(
      line.find(
          "\"connection\":{\"id\":1,\"reused\":true,\"idle_ms\":7.000,\"requests\":2,\"miss_reason\":null}"),
      std::string::npos)
      << line;
  EXPECT_NE(line.find("\"drain\":{\"result\":\"drained\",\"bytes\":2000,\"ms\":1.500}"), std::string::npos)
      << line;
  EXPECT_NE(line.find("\"dns\":0.000,\"connect\":0.000,\"tls\":0.000,\"send\":0.100,\"wait\":1.900"),
            std::string::npos)
      << line;
}

TEST(GetJson, SaysWhyAConnectionCouldNotBeReused) {
  client::Record record = fresh_record();
  record.drain = {.result = client::DrainResult::kNotReusable,
                  .close = client::CloseReason::kConnectionClose};
  EXPECT_NE(line_of(record).find("\"result\":\"not_reusable:connection_close\""), std::string::npos);
}

TEST(GetJson, WritesAFailure) {
  const std::string line = line_of(failed_record());
  EXPECT_NE(line.find("\"status\":0,\"protocol\":null,"), std::string::npos) << line;
  EXPECT_NE(line.find("\"drain\":{\"result\":null,"), std::string::npos) << line;
  EXPECT_NE(
      line.find(
          "\"error\":{\"cause\":\"connect\",\"exit_code\":7,\"message\":\"Failed to connect to example.org "
          "port 80\"}}\n"),
      std::string::npos)
      << line;
}

TEST(GetJson, TakesAStatusForAFailureOnlyWhenAsked) {
  client::Record record = fresh_record();
  record.status = 404;
  EXPECT_NE(line_of(record).find("\"error\":null"), std::string::npos);
  EXPECT_NE(line_of(record, true).find("\"cause\":\"http_error\",\"exit_code\":22,"), std::string::npos);
}

TEST(GetJson, IsJsonWhateverTheServerSent) {
  client::Record record = failed_record();
  record.url = "http://h/\"\\\n\x01\xff\xc3";
  record.failure->message = "bad \x80 \xed\xa0\x80 bytes";
  const boost::json::object parsed = boost::json::parse(line_of(record)).as_object();
  EXPECT_EQ(parsed.at("url").as_string(), "http://h/\"\\\n\x01\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(GetJson, CutsTimesBelowAMicrosecond) {
  std::string text;
  append_milliseconds(text, 1'234'567'999ns);
  append_milliseconds(text += ' ', 5us);
  append_milliseconds(text += ' ', Duration::zero());
  EXPECT_EQ(text, "1234.567 0.005 0.000");
}

TEST(Outcome, HasNoNegativePhases) {
  client::Timings timings = failed_record().timings;
  timings.first_byte = TimePoint{};
  for (std::size_t i = 0; i < kPhases; ++i) EXPECT_GE(length_of(static_cast<Phase>(i), timings), 0ns) << i;
  EXPECT_EQ(length_of(Phase::kRead, timings), 0ns);
}

TEST(Outcome, PutsAFileThatCannotBeWrittenFirst) {
  const auto fault = fault_of(failed_record(), true, write_fault("disk full"));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->exit_code, 23);
  EXPECT_EQ(fault->cause, "write");
}

}  // namespace
}  // namespace h2park::cmd
