#include "base/units.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace h2park {
namespace {

using namespace std::chrono_literals;

std::string duration_error(std::string_view text) {
  const Result<Duration> parsed = parse_duration(text);
  return parsed ? "" : parsed.error().message;
}

std::string size_error(std::string_view text) {
  const Result<std::uint64_t> parsed = parse_size(text);
  return parsed ? "" : parsed.error().message;
}

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration("2h"), Duration(2h));
  EXPECT_EQ(parse_duration("3m"), Duration(3min));
  EXPECT_EQ(parse_duration("30s"), Duration(30s));
  EXPECT_EQ(parse_duration("50ms"), Duration(50ms));
  EXPECT_EQ(parse_duration("10us"), Duration(10us));
  EXPECT_EQ(parse_duration("7ns"), Duration(7ns));
}

TEST(ParseDuration, ReadsZeroWithAndWithoutUnit) {
  EXPECT_EQ(parse_duration("0"), Duration::zero());
  EXPECT_EQ(parse_duration("0s"), Duration::zero());
}

TEST(ParseDuration, AddsCombinedUnits) {
  EXPECT_EQ(parse_duration("1m30s"), Duration(90s));
  EXPECT_EQ(parse_duration("1h2m3s4ms5us6ns"), Duration(1h + 2min + 3s + 4ms + 5us + 6ns));
  EXPECT_EQ(parse_duration("1h30s"), Duration(1h + 30s));
}

TEST(ParseDuration, ReadsFractionsExactly) {
  EXPECT_EQ(parse_duration("1.5s"), Duration(1500ms));
  EXPECT_EQ(parse_duration("0.1ms"), Duration(100us));
  EXPECT_EQ(parse_duration("1.123456789s"), Duration(1'123'456'789ns));
  EXPECT_EQ(parse_duration("0.333333333333h"), Duration(1'199'999'999'998ns));
}

TEST(ParseDuration, CutsOffBelowANanosecond) {
  EXPECT_EQ(parse_duration("0.9999ns"), Duration::zero());
  EXPECT_EQ(parse_duration("0.00000000099999999999999999999999s"), Duration::zero());
}

TEST(ParseDuration, RefusesWhatIsNotADuration) {
  for (const char* text :
       {"",    " ",   "5 parsecs", "5",  "00", "s",   "-1s",   "+1s",  "1s ", " 1s", "1,5s",
        "1.s", ".5s", "1S",        "1M", "1x", "1s2", "0x10s", "1e3s", "inf", "1d",  "1s\n"}) {
    EXPECT_EQ(duration_error(text), "'" + std::string(text) + "' is not a duration (try 50ms, 30s, 3m)");
  }
}

TEST(ParseDuration, RefusesRepeatedAndRisingUnits) {
  for (const char* text : {"1s1s", "30s1m", "1ms1s"}) EXPECT_NE(duration_error(text), "") << text;
}

TEST(ParseDuration, ReadsTheLongestAndRefusesALongerOne) {
  EXPECT_EQ(parse_duration("9223372036854775807ns"), Duration::max());
  EXPECT_EQ(duration_error("9223372036854775808ns"), "'9223372036854775808ns' is too long");
  EXPECT_EQ(duration_error("99999999999999999999999h"), "'99999999999999999999999h' is too long");
  EXPECT_EQ(duration_error("2562047h59m"), "'2562047h59m' is too long");
  EXPECT_EQ(duration_error("9223372036.9s"), "'9223372036.9s' is too long");
}

TEST(ParseDuration, IsAUsageError) { EXPECT_EQ(parse_duration("x").error().exit, Error::Exit::kUsage); }

TEST(FormatDuration, WritesTheShortestForm) {
  EXPECT_EQ(format_duration(0ns), "0");
  EXPECT_EQ(format_duration(50ms), "50ms");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(90s), "1m30s");
  EXPECT_EQ(format_duration(3min), "3m");
  EXPECT_EQ(format_duration(1h), "1h");
  EXPECT_EQ(format_duration(1500us), "1ms500us");
  EXPECT_EQ(format_duration(1h + 1ms), "1h1ms");
  EXPECT_EQ(format_duration(60'001ms), "1m1ms");
  EXPECT_EQ(format_duration(61'001ms), "1m1.001s");
}

TEST(FormatDuration, IsReadBackExactly) {
  for (Duration::rep value = 1; value < Duration::max().count() / 7; value = value * 7 + 3) {
    EXPECT_EQ(parse_duration(format_duration(Duration(value))), Duration(value))
        << format_duration(Duration(value));
  }
  EXPECT_EQ(parse_duration(format_duration(Duration::max())), Duration::max());
}

TEST(ParseSize, ReadsPowersOf1024) {
  EXPECT_EQ(parse_size("256KiB"), 256U * 1024);
  EXPECT_EQ(parse_size("1MiB"), 1024U * 1024);
  EXPECT_EQ(parse_size("2GiB"), 2ULL * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_size("1TiB"), 1ULL << 40);
  EXPECT_EQ(parse_size("64k"), 64U * 1024);
  EXPECT_EQ(parse_size("64K"), 64U * 1024);
}

TEST(ParseSize, ReadsPowersOf1000AndBytes) {
  EXPECT_EQ(parse_size("1MB"), 1'000'000U);
  EXPECT_EQ(parse_size("3kB"), 3000U);
  EXPECT_EQ(parse_size("10"), 10U);
  EXPECT_EQ(parse_size("10B"), 10U);
  EXPECT_EQ(parse_size("0"), 0U);
}

TEST(ParseSize, ReadsFractionsOfAnythingButBytes) {
  EXPECT_EQ(parse_size("1.5MiB"), 1536U * 1024);
  EXPECT_EQ(parse_size("0.0001KiB"), 0U);
  EXPECT_NE(size_error("1.5"), "");
  EXPECT_NE(size_error("1.5B"), "");
}

TEST(ParseSize, RefusesWhatIsNotASize) {
  for (const char* text :
       {"", "x", "-1", "+1", "1 KiB", "KiB", "1KiBs", "1i", "1.", "1ms", "1KiB2", "0x10"}) {
    EXPECT_EQ(size_error(text), "'" + std::string(text) + "' is not a size (try 100, 64KiB, 1MiB)");
  }
}

TEST(ParseSize, ReadsTheLargestAndRefusesALargerOne) {
  EXPECT_EQ(parse_size("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(size_error("18446744073709551616"), "'18446744073709551616' is too large");
  EXPECT_EQ(size_error("16777216TiB"), "'16777216TiB' is too large");
  EXPECT_EQ(parse_size("16777215.9TiB"), 0xFFFF'FFE6'6666'6666ULL);
}

TEST(FormatSize, IsReadBackExactly) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(100), "100");
  EXPECT_EQ(format_size(64 * 1024), "64KiB");
  EXPECT_EQ(format_size(1536 * 1024), "1536KiB");
  EXPECT_EQ(format_size(1ULL << 50), "1024TiB");
  for (std::uint64_t value = 1; value < (1ULL << 60); value = value * 6 + 2) {
    EXPECT_EQ(parse_size(format_size(value)), value);
  }
}

TEST(ParseCount, KeepsItsBounds) {
  EXPECT_EQ(parse_count("1", 1, 8), 1U);
  EXPECT_EQ(parse_count("8", 1, 8), 8U);
  EXPECT_EQ(parse_count("0", 1, 8).error().message, "'0' is too small (at least 1)");
  EXPECT_EQ(parse_count("9", 1, 8).error().message, "'9' is too large (at most 8)");
  EXPECT_EQ(parse_count("99999999999999999999", 1, 8).error().message,
            "'99999999999999999999' is too large (at most 8)");
}

TEST(ParseCount, RefusesWhatIsNotAWholeNumber) {
  for (const char* text : {"", "x", "1x", "-1", "+1", " 1", "1 ", "1.5", "99999999999999999999x"}) {
    EXPECT_EQ(parse_count(text, 0, 8).error().message, "'" + std::string(text) + "' is not a whole number");
  }
}

}  // namespace
}  // namespace h2park
