#include "readout/stats_token.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace h2park::readout {
namespace {

std::string file_with(const std::string& content) {
  const std::string path = ::testing::TempDir() + "h2park-token-" + std::to_string(::getpid());
  std::ofstream(path) << content;
  return path;
}

std::string error_of(std::string_view text, Error::Exit exit = Error::Exit::kUsage) {
  const auto token = parse_stats_token(text);
  if (token) return "";
  EXPECT_EQ(token.error().exit, exit);
  return token.error().message;
}

TEST(StatsToken, IsTakenAsItIsWritten) {
  EXPECT_EQ(parse_stats_token("s3cret-._~+/==").value(), "s3cret-._~+/==");
}

TEST(StatsToken, IsTheFirstLineOfAFile) {
  EXPECT_EQ(parse_stats_token("@" + file_with("abc\nsecond\n")).value(), "abc");
  EXPECT_EQ(parse_stats_token("@" + file_with("abc\r\n")).value(), "abc");
  EXPECT_EQ(parse_stats_token("@" + file_with("abc")).value(), "abc");
}

TEST(StatsToken, IsNotLookedForInAFileWithoutLines) {
  EXPECT_EQ(error_of("@/dev/zero", Error::Exit::kFailure),
            "/dev/zero: its first line is too long for a token");
  EXPECT_EQ(parse_stats_token("@" + file_with(std::string(4000, 'a') + "\n")).value().size(), 4000U);
}

TEST(StatsToken, HasNoCharacterThatCouldEndItsField) {
  for (const char* text : {"a b", "a\r\nX: y", "a\x7f", "a=b", "a\"", "ü"}) {
    const std::string message = error_of(text);
    EXPECT_EQ(message, "a token has letters, digits and -._~+/ only, with '=' at its end");
  }
  EXPECT_FALSE(parse_stats_token("@" + file_with("a b\n")));
}

TEST(StatsToken, IsNotEmpty) {
  EXPECT_EQ(error_of("=="), "the token is empty");
  EXPECT_EQ(error_of("@" + file_with("\n")), "the token is empty");
}

TEST(StatsToken, NamesAFileThatCannotBeRead) {
  EXPECT_EQ(error_of("@/nowhere/token", Error::Exit::kFailure), "/nowhere/token: No such file or directory");
  const std::string empty = file_with("");
  EXPECT_EQ(error_of("@" + empty, Error::Exit::kFailure), empty + ": the file is empty");
}

}  // namespace
}  // namespace h2park::readout
