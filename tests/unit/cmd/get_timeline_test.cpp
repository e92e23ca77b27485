#include "cmd/get_timeline.hpp"

#include "cmd/get_gnuplot.hpp"
#include "get_records.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;
using records::failed_record;
using records::fresh_record;
using records::reused_record;

Timeline two() {
  Timeline timeline;
  timeline.add(fresh_record(), false);
  timeline.add(reused_record(), false);
  return timeline;
}

TEST(PlotScript, HasABoxForEachRequestDialAndDrain) {
  const std::string script = plot_script(two(), PlotFormat::kSvg, "title");
  // x, y, and the corners, in milliseconds.
  EXPECT_NE(script.find("$dialling << END\n1.500000 1 0.000000 3.000000 0.85 1.15\nEND\n"), std::string::npos)
      << script;
  EXPECT_NE(script.find("$new << END\n9.000000 1 3.000000 15.000000 0.64 1.36\nEND\n"), std::string::npos)
      << script;
  EXPECT_NE(script.find("$reused << END\n23.000000 1 22.000000 24.000000 0.64 1.36\nEND\n"),
            std::string::npos)
      << script;
  EXPECT_NE(script.find("$drain << END\n24.750000 1 24.000000 25.500000 0.64 1.36\nEND\n"), std::string::npos)
      << script;
  EXPECT_EQ(script.find("$failed"), std::string::npos) << script;
  EXPECT_NE(script.find("'2 requests on 1 connection'"), std::string::npos) << script;
}

TEST(PlotScript, TellsFailedRequests) {
  Timeline timeline;
  timeline.add(fresh_record(), true);
  const std::string script = plot_script(timeline, PlotFormat::kSvg, "title");
  EXPECT_NE(script.find("$failed << END"), std::string::npos);
  EXPECT_EQ(script.find("$new << END"), std::string::npos);
}

TEST(PlotScript, NumbersConnectionsInTheirOrder) {
  Timeline timeline;
  for (const std::uint64_t id : {7U, 3U}) {
    client::Record record = fresh_record();
    record.connection.id = id;
    timeline.add(record, false);
  }
  const std::string script = plot_script(timeline, PlotFormat::kPng, "t");
  EXPECT_NE(script.find("set ytics nomirror scale 0 ('3' 1, '7' 2)\n"), std::string::npos) << script;
  EXPECT_NE(script.find("set terminal pngcairo size"), std::string::npos);
}

TEST(PlotScript, SaysWhichPartIsDrawn) {
  Timeline timeline;
  for (std::size_t i = 0; i < Timeline::kMost + 5; ++i) timeline.add(reused_record(), false);
  EXPECT_EQ(timeline.boxes().size(), Timeline::kMost);
  EXPECT_NE(
      plot_script(timeline, PlotFormat::kSvg, "t").find("'the first 2000 of 2005 requests on 1 connection'"),
      std::string::npos);
}

TEST(PlotScript, QuotesWhateverTheTitleIs) {
  const std::string script = plot_script(two(), PlotFormat::kSvg, "it's\n`rm`; set output 'x'");
  EXPECT_NE(script.find("set title 'it''s `rm`; set output ''x''' noenhanced"), std::string::npos) << script;
}

TEST(Timeline, LeavesOutWhatHadNoConnection) {
  Timeline timeline;
  timeline.add(failed_record(), true);
  EXPECT_EQ(timeline.seen(), 0U);
}

class GnuplotTest : public testing::Test {
 protected:
  GnuplotTest() { std::filesystem::create_directory(folder_); }
  ~GnuplotTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  /// A program of that name and content, in a folder to be a path.
  void make_program(const std::string& text) const {
    std::ofstream(path("gnuplot")) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(path("gnuplot"), std::filesystem::perms::owner_all);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("h2park-plot-" + std::to_string(::getpid()));
};

TEST_F(GnuplotTest, ReadsTheScriptAndWritesTheFile) {
  make_program("exec cat\n");
  std::ofstream(path("a.svg")) << "something longer from before";
  auto gnuplot = Gnuplot::prepare(path("a.svg"), folder_.string() + ":/nowhere");
  ASSERT_TRUE(gnuplot) << gnuplot.error().message;
  EXPECT_EQ(gnuplot->format(), PlotFormat::kSvg);
  ASSERT_TRUE(gnuplot->draw("the script"));
  EXPECT_EQ(content("a.svg"), "the script");
}

TEST_F(GnuplotTest, TellsThatItIsNotInstalled) {
  const auto gnuplot = Gnuplot::prepare(path("a.svg"), "/nowhere::" + folder_.string());
  ASSERT_FALSE(gnuplot);
  EXPECT_EQ(gnuplot.error().exit, Error::Exit::kNotInstalled);
  EXPECT_EQ(gnuplot.error().message,
            "get: --plot: gnuplot is not installed (Debian: apt install gnuplot-nox)");
  EXPECT_FALSE(std::filesystem::exists(path("a.svg")));
}

TEST_F(GnuplotTest, TellsThatTheFileCannotBeWritten) {
  make_program("exit 0\n");
  const auto gnuplot = Gnuplot::prepare(path("none/a.png"), folder_.string());
  ASSERT_FALSE(gnuplot);
  EXPECT_EQ(gnuplot.error().exit, Error::Exit::kWriteFailed);
}

TEST_F(GnuplotTest, TellsThatItFailed) {
  make_program("exit 3\n");
  auto gnuplot = Gnuplot::prepare(path("a.png"), folder_.string());
  ASSERT_TRUE(gnuplot);
  EXPECT_EQ(gnuplot->format(), PlotFormat::kPng);
  const auto drawn = gnuplot->draw("script");
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().exit, Error::Exit::kWriteFailed);
}

}  // namespace
}  // namespace h2park::cmd
