#include "base/log.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace h2park {
namespace {

using namespace std::chrono_literals;
using log::Level;

/// Logs into a file of its own; lines() reads what was written, without the time.
class Log : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(file_, nullptr); }
  void TearDown() override {
    log::set_up(Level::kInfo);
    std::fclose(file_);
  }

  std::vector<std::string> lines() const {
    static const std::regex kTime("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ");
    std::rewind(file_);
    std::vector<std::string> found;
    std::string line;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      EXPECT_TRUE(std::regex_search(line, kTime)) << line;
      found.push_back(std::regex_replace(line, kTime, ""));
      line.clear();
    }
    EXPECT_EQ(line, "") << "no line feed at the end";
    return found;
  }

  using Lines = std::vector<std::string>;
  std::FILE* file_ = std::tmpfile();
  ManualTime time_;
};

TEST_F(Log, WritesOneLinePerEvent) {
  log::set_up(Level::kDebug, file_);
  log::error("e");
  log::warn("w");
  log::info("i");
  log::debug("d");
  EXPECT_EQ(lines(), (Lines{"error e", "warn w", "info i", "debug d"}));
}

TEST_F(Log, LeavesOutWhatIsLessImportant) {
  log::set_up(Level::kWarn, file_);
  log::error("e");
  log::warn("w");
  log::info("i");
  log::debug("d");
  EXPECT_EQ(lines(), (Lines{"error e", "warn w"}));
  EXPECT_TRUE(log::enabled(Level::kWarn));
  EXPECT_FALSE(log::enabled(Level::kInfo));
}

TEST_F(Log, DoesNotLetAMessageForgeALine) {
  log::set_up(Level::kInfo, file_);
  log::info("path /a\nerror forged\r\x1b[2J\x7f");
  EXPECT_EQ(lines(), Lines{"info path /a\\x0aerror forged\\x0d\\x1b[2J\\x7f"});
}

TEST_F(Log, TakesBracesAndUtf8AsTheyAre) {
  log::set_up(Level::kInfo, file_);
  log::info("{} {0} %v é");
  EXPECT_EQ(lines(), Lines{"info {} {0} %v é"});
}

TEST_F(Log, LimitsAFloodAndCountsWhatItLeftOut) {
  log::set_up(Level::kInfo, file_);
  log::Limited limited(1s);
  for (int i = 0; i < 5; ++i) limited.write(Level::kWarn, time_.now(), "full");
  time_.advance(999ms);
  limited.write(Level::kWarn, time_.now(), "full");
  time_.advance(1ms);
  limited.write(Level::kWarn, time_.now(), "full");
  time_.advance(1s);
  limited.write(Level::kWarn, time_.now(), "full");
  EXPECT_EQ(lines(), (Lines{"warn full", "warn full (and 5 more since the last line)", "warn full"}));
}

TEST_F(Log, WritesOnceUntilReset) {
  log::set_up(Level::kInfo, file_);
  log::Limited once(Duration::max());
  once.write(Level::kWarn, time_.now(), "full");
  time_.advance(24h * 365);
  once.write(Level::kWarn, time_.now(), "full");
  EXPECT_EQ(lines().size(), 1U);
  once.reset();
  once.write(Level::kWarn, time_.now(), "full");
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(Log, LetsOneOfManyThreadsWrite) {
  log::set_up(Level::kInfo, file_);
  log::Limited once(Duration::max());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) once.write(Level::kWarn, time_.now(), "full");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines().size(), 1U);
}

TEST(LogLevel, IsReadByName) {
  EXPECT_EQ(log::parse_level("error"), Level::kError);
  EXPECT_EQ(log::parse_level("debug"), Level::kDebug);
  EXPECT_EQ(log::parse_level("verbose"), std::nullopt);
  EXPECT_EQ(log::parse_level(""), std::nullopt);
}

}  // namespace
}  // namespace h2park
