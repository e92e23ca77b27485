#include "http/date.hpp"

#include <gtest/gtest.h>

namespace h2park::http {
namespace {

std::string date(std::int64_t seconds) {
  return std::string(date_text(std::chrono::system_clock::time_point(std::chrono::seconds(seconds))));
}

TEST(DateText, IsAnImfFixdate) {
  EXPECT_EQ(date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date(951'782'400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(date(4'102'444'799), "Thu, 31 Dec 2099 23:59:59 GMT");
}

TEST(DateText, ChangesWithTheSecondAndIgnoresItsParts) {
  using namespace std::chrono;
  const system_clock::time_point second(seconds(784'111'777));
  EXPECT_EQ(date_text(second + milliseconds(999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date_text(second + milliseconds(1'000)), "Sun, 06 Nov 1994 08:49:38 GMT");
  EXPECT_EQ(date_text(second), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace h2park::http
