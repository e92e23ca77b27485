#include "client/cookie_date.hpp"

#include <gtest/gtest.h>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kWhen = std::chrono::sys_days(2021y / 6 / 9) + 10h + 18min + 14s;

TEST(CookieDate, IsReadInEveryOrderAndPunctuation) {
  for (const char* text :
       {"Wed, 09 Jun 2021 10:18:14 GMT", "Wed, 09-Jun-2021 10:18:14 GMT", "Wednesday, 09-Jun-21 10:18:14 GMT",
        "Wed Jun  9 10:18:14 2021", "10:18:14 9 JUNE 2021", "2021 june 9 10:18:14", "9/Jun/2021;10:18:14",
        "Wed, 9 Jun 21 10:18:14", "09th Jun 2021 10:18:14.999 GMT"}) {
    const auto date = parse_cookie_date(text);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(*date, kWhen) << text;
  }
}

TEST(CookieDate, TwoDigitsOfAYearAreFromSeventyOn) {
  EXPECT_EQ(parse_cookie_date("1 Jan 70 0:0:0"), std::chrono::sys_days(1970y / 1 / 1));
  EXPECT_EQ(parse_cookie_date("1 Jan 99 0:0:0"), std::chrono::sys_days(1999y / 1 / 1));
  EXPECT_EQ(parse_cookie_date("1 Jan 69 0:0:0"), std::chrono::sys_days(2069y / 1 / 1));
  EXPECT_EQ(parse_cookie_date("1 Jan 00 0:0:0"), std::chrono::sys_days(2000y / 1 / 1));
}

TEST(CookieDate, WhatIsNoDateIsNone) {
  for (const char* text :
       {"", "GMT", "09 Jun 2021", "Jun 2021 10:18:14", "09 2021 10:18:14", "09 Jun 10:18:14",
        "32 Jun 2021 10:18:14", "31 Jun 2021 10:18:14", "29 Feb 2021 10:18:14", "00 Jun 2021 10:18:14",
        "09 Jun 1600 10:18:14", "09 Jun 2021 24:00:00", "09 Jun 2021 10:60:00", "09 Jun 2021 10:18:60",
        "09 Jun 20211 10:18:14", "09 Jux 2021 10:18:14", "09 anf 2021 10:18:14", "09 Jun 2021 10:18",
        "09 Jun 2021 100:18:14"}) {
    EXPECT_FALSE(parse_cookie_date(text)) << text;
  }
  EXPECT_TRUE(parse_cookie_date("29 Feb 2024 10:18:14"));
}

}  // namespace
}  // namespace h2park::client
