// What `get` shows on a terminal: the bar of -v and the progress line.
#include "cmd/get_phases_bar.hpp"
#include "cmd/get_progress.hpp"
#include "get_records.hpp"

#include <gtest/gtest.h>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using records::failed_record;
using records::fresh_record;
using records::reused_record;

TEST(PhasesBar, ShowsPhasesToScale) {
  EXPECT_EQ(phases_bar(fresh_record()),
            "*      dns  connect      tls     send     wait     read    drain |    total\n"
            "*  1.00 ms  2.00 ms        -  3.00 ms  4.00 ms  5.00 ms        - |  15.0 ms\n"
            "* [ddddcccccccccssssssssssssssw"
            "wwwwwwwwwwwwwwwwwrrrrrrrrrrrrrrrrrrrrrrr]\n"
            "* connection 1, new (first), request 1 on it; 127.0.0.1:40000 -> 127.0.0.1:80\n"
            "* body: 13 bytes read, complete\n");
}

TEST(PhasesBar, ShowsDrainsAndReuse) {
  const std::string bar = phases_bar(reused_record());
  EXPECT_NE(bar.find("~~~"), std::string::npos) << bar;
  EXPECT_NE(bar.find("* connection 1, reused after 7.00 ms of idleness, request 2 on it;"), std::string::npos)
      << bar;
  EXPECT_NE(bar.find("* body: 13 bytes read, drained (2000 bytes in 1.50 ms)\n"), std::string::npos) << bar;
}

TEST(PhasesBar, SaysWhyTheConnectionWasClosed) {
  client::Record record = fresh_record();
  record.drain = {.result = client::DrainResult::kNotReusable, .close = client::CloseReason::kHttp10};
  EXPECT_NE(phases_bar(record).find("not_reusable:http10; connection closed: http10\n"), std::string::npos);
}

TEST(PhasesBar, GivesEveryPhaseAMark) {
  client::Record record = fresh_record();
  record.timings.end = records::at(10s);
  const std::string bar = phases_bar(record);
  for (const char* mark : {"[d", "dc", "cs", "sw", "wr"}) EXPECT_NE(bar.find(mark), std::string::npos) << bar;
}

TEST(PhasesBar, IsEmptyWithoutAConnection) { EXPECT_EQ(phases_bar(failed_record()), ""); }

TEST(ProgressLine, TellsHowFarACountedRunIs) {
  EXPECT_EQ(
      progress_line({.done = 1000, .planned = 4000, .errors = 3, .connections = 2, .elapsed = 10s}, 100),
      "  1000/4000 requests (25 %), 100.0/s, 3 errors, 2 connections, 30 s left");
}

TEST(ProgressLine, TellsHowLongATimedRunTakes) {
  EXPECT_EQ(progress_line({.done = 50, .connections = 1, .elapsed = 2s, .duration = 10s}, 100),
            "  50 requests, 25.0/s, 1 connections, 8 s left");
}

TEST(ProgressLine, TakesTheEndThatIsNearer) {
  const ProgressFigures figures{.done = 90, .planned = 100, .elapsed = 9s, .duration = 60s};
  EXPECT_NE(progress_line(figures, 100).find("1 s left"), std::string::npos);
}

TEST(ProgressLine, FitsTheTerminal) {
  const ProgressFigures figures{.done = 1000, .planned = 4000, .errors = 3, .connections = 2, .elapsed = 10s};
  for (std::size_t columns = 0; columns < 100; ++columns) {
    EXPECT_LT(progress_line(figures, columns).size(), std::max<std::size_t>(columns, 1)) << columns;
  }
}

TEST(ProgressLine, BeginsWithNothingDone) {
  EXPECT_EQ(progress_line({.planned = 10}, 100), "  0/10 requests (0 %), 0 connections");
}

}  // namespace
}  // namespace h2park::cmd
