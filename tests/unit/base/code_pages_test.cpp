#include "base/code_pages.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

namespace h2park {
namespace {

/// KiB of a library's code that are resident.
long resident(const std::string& library) {
  std::ifstream maps("/proc/self/smaps");
  long kib = 0;
  bool counts = false;
  for (std::string line; std::getline(maps, line);) {
    const bool head = line.find('-') != std::string::npos && line.find(':') > line.find(' ');
    if (head)
      counts = line.find('/' + library) != std::string::npos && line.find("r-xp") != std::string::npos;
    if (counts && line.starts_with("Rss:")) kib += std::stol(line.substr(4));
  }
  return kib;
}

TEST(CodePages, AreDroppedAndComeBackWhenTheyAreUsed) {
  volatile double argument = 4.5;
  const double value = std::lgamma(argument);
  ASSERT_GT(resident("libm.so"), 0);
  drop_code_pages("libm.so");
  EXPECT_EQ(resident("libm.so"), 0);
  EXPECT_EQ(std::lgamma(argument), value);
  EXPECT_GT(resident("libm.so"), 0);
}

TEST(CodePages, OfOtherLibrariesStay) {
  const long before = resident("libstdc++.so");
  ASSERT_GT(before, 0);
  drop_code_pages("libm.so");
  EXPECT_GE(resident("libstdc++.so"), before);
}

}  // namespace
}  // namespace h2park
