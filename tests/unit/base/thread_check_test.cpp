#include "base/thread_check.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace h2park {
namespace {

#ifndef NDEBUG
TEST(ThreadCheck, KnowsItsOwner) {
  ThreadCheck check;
  EXPECT_TRUE(check.here());
  std::thread([&] { EXPECT_FALSE(check.here()); }).join();
}

TEST(ThreadCheck, FollowsItsOwner) {
  ThreadCheck check;
  std::thread([&] {
    check.bind_here();
    check.check();
  }).join();
  EXPECT_FALSE(check.here());
}

TEST(ThreadCheckDeathTest, StopsAStranger) {
  ThreadCheck check;
  EXPECT_DEATH(std::thread([&] { check.check(); }).join(), "does not own the object");
}
#else
TEST(ThreadCheck, CostsNothingInRelease) {
  struct Guarded {
    int value;
    [[no_unique_address]] ThreadCheck check;
  };
  EXPECT_EQ(sizeof(Guarded), sizeof(int));
}
#endif

}  // namespace
}  // namespace h2park
