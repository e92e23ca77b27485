#include "freezer/granule_map.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <memory>
#include <random>

namespace h2park::freezer {
namespace {

TEST(GranuleMap, IsClearAtFirst) {
  const GranuleMap map;
  EXPECT_EQ(map.next_set(0), kGranules);
  EXPECT_EQ(map.next_clear(0), 0U);
}

TEST(GranuleMap, SetsRunsAcrossWords) {
  GranuleMap map;
  map.set(60, 200);
  EXPECT_EQ(map.next_set(0), 60U);
  EXPECT_EQ(map.next_clear(60), 260U);
  map.clear(64, 64);
  EXPECT_EQ(map.next_clear(60), 64U);
  EXPECT_EQ(map.next_set(64), 128U);
}

TEST(GranuleMap, KnowsItsLastGranule) {
  GranuleMap map;
  map.set(kGranules - 1);
  EXPECT_EQ(map.next_set(0), kGranules - 1);
  EXPECT_EQ(map.next_set(kGranules - 1), kGranules - 1);
  EXPECT_EQ(map.next_clear(kGranules - 1), kGranules);
  EXPECT_EQ(map.next_set(kGranules), kGranules);
}

TEST(GranuleMap, FillsUpAndEmpties) {
  GranuleMap map;
  map.set(0, kGranules);
  EXPECT_EQ(map.next_clear(0), kGranules);
  map.clear(0, kGranules);
  EXPECT_EQ(map.next_set(0), kGranules);
}

TEST(GranuleMap, AgreesWithABitsetOverRandomRuns) {
  GranuleMap map;
  auto model = std::make_unique<std::bitset<kGranules>>();
  std::mt19937 random(1);
  for (int step = 0; step < 2000; ++step) {
    const std::size_t first = random() % kGranules;
    const std::size_t count = random() % std::min<std::size_t>(kGranules - first, 300);
    const bool set = random() % 2 == 0;
    set ? map.set(first, count) : map.clear(first, count);
    for (std::size_t at = first; at < first + count; ++at) model->set(at, set);
    const std::size_t from = random() % kGranules;
    std::size_t next = from;
    while (next < kGranules && !model->test(next)) ++next;
    ASSERT_EQ(map.next_set(from), next);
    ASSERT_EQ(map.test(from), model->test(from));
  }
}

TEST(GranulesFor, RoundsUpAndGivesEmptyBlocksOne) {
  EXPECT_EQ(granules_for(0), 1U);
  EXPECT_EQ(granules_for(1), 1U);
  EXPECT_EQ(granules_for(16), 1U);
  EXPECT_EQ(granules_for(17), 2U);
  EXPECT_EQ(granules_for(kSlotBytes), kGranules);
}

}  // namespace
}  // namespace h2park::freezer
