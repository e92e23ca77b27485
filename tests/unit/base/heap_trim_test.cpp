#include "base/heap_trim.hpp"

#include <gtest/gtest.h>

namespace h2park {
namespace {

int trims = 0;

struct HeapTrimTest : testing::Test {
  HeapTrimTest() { trims = 0; }
  void from_to(std::size_t from, std::size_t to) {
    trim.grown_to(from);
    for (std::size_t count = from; count > to; --count) trim.shrunk_to(count - 1);
  }
  HeapTrim trim{[] { ++trims; }};
};

TEST_F(HeapTrimTest, ComesAFewTimesWhenACrowdLeaves) {
  from_to(5000, 0);
  EXPECT_EQ(trims, 3) << "at 1,250, at 312 and at 78";
}

TEST_F(HeapTrimTest, IsNotWorthItForAHandful) {
  for (int i = 0; i < 1000; ++i) from_to(HeapTrim::kCrowd - 1, 0);
  EXPECT_EQ(trims, 0);
}

TEST_F(HeapTrimTest, DoesNotComeWhileTheCrowdOnlyChanges) {
  trim.grown_to(5000);
  for (int i = 0; i < 1000; ++i) {
    trim.shrunk_to(4000);
    trim.grown_to(5000);
  }
  EXPECT_EQ(trims, 0);
}

TEST_F(HeapTrimTest, ComesAgainForTheNextCrowd) {
  from_to(1000, 0);
  const int first = trims;
  from_to(1000, 0);
  EXPECT_EQ(trims, 2 * first);
}

}  // namespace
}  // namespace h2park
