#include "base/cpu_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace h2park {
namespace {

namespace fs = std::filesystem;

/// A stand-in for /sys/fs/cgroup.
class Cgroups : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "h2park-cgroup-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    mount_ = name;
  }
  void TearDown() override { fs::remove_all(mount_); }

  void write(const fs::path& file, std::string_view text) const {
    fs::create_directories((mount_ / file).parent_path());
    std::ofstream(mount_ / file) << text;
  }

  fs::path mount_;
};

TEST(CpuMax, RoundsUp) {
  EXPECT_EQ(cpus_of_cpu_max("200000 100000\n"), 2U);
  EXPECT_EQ(cpus_of_cpu_max("200001 100000\n"), 3U);
  EXPECT_EQ(cpus_of_cpu_max("150000 100000"), 2U);
  EXPECT_EQ(cpus_of_cpu_max("1000 100000"), 1U);
}

TEST(CpuMax, HasNoLimit) { EXPECT_EQ(cpus_of_cpu_max("max 100000\n"), std::nullopt); }

TEST(CpuMax, IgnoresWhatItDoesNotUnderstand) {
  for (const char* text :
       {"", "\n", "max", "100000", "x 100000", "100000 x", "0 100000", "100000 0", "-1 100000", "1 2 3"}) {
    EXPECT_EQ(cpus_of_cpu_max(text), std::nullopt) << text;
  }
}

TEST(CpuMax, SurvivesHugeNumbers) {
  EXPECT_EQ(cpus_of_cpu_max("18446744073709551615 1"), std::numeric_limits<unsigned>::max());
  EXPECT_EQ(cpus_of_cpu_max("18446744073709551616 1"), std::nullopt);
}

TEST(CfsQuota, RoundsUpAndKnowsNoLimit) {
  EXPECT_EQ(cpus_of_cfs("250000\n", "100000\n"), 3U);
  EXPECT_EQ(cpus_of_cfs("-1\n", "100000\n"), std::nullopt);
}

TEST_F(Cgroups, OfVersion2AreFoundByTheProcessPath) {
  write("app/job/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_cpus(mount_, "0::/app/job\n"), 3U);
  EXPECT_EQ(cgroup_cpus(mount_, "0::/app\n"), std::nullopt);
}

TEST_F(Cgroups, TakeTheTightestOfAllAbove) {
  write("app/cpu.max", "200000 100000\n");
  write("app/job/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_cpus(mount_, "0::/app/job\n"), 2U);
}

TEST_F(Cgroups, OfAContainerAreAtTheMountItself) {
  write("cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_cpus(mount_, "0::/\n"), 4U);
  EXPECT_EQ(cgroup_cpus(mount_, "0::/outside/of/the/namespace\n"), 4U);
}

TEST_F(Cgroups, OfVersion1AreFoundUnderTheirController) {
  write("cpu/docker/cpu.cfs_quota_us", "150000\n");
  write("cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(mount_, "5:memory:/docker\n4:cpu,cpuacct:/docker\n"), 2U);
  EXPECT_EQ(cgroup_cpus(mount_, "4:cpuset:/docker\n"), std::nullopt);
}

TEST_F(Cgroups, OfVersion1MayBeMountedUnderJointNames) {
  write("cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(mount_, "4:cpu,cpuacct:/\n"), 1U);
}

TEST_F(Cgroups, IgnoreLinesTheyDoNotUnderstand) {
  write("cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_cpus(mount_, "\nx\n:\n0::/\n"), 4U);
  EXPECT_EQ(cgroup_cpus(mount_, ""), std::nullopt);
}

TEST(CpuCount, FollowsTheAffinity) {
  unsigned alone = 0;
  std::thread([&alone] {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    alone = cpu_count();
  }).join();
  EXPECT_EQ(alone, 1U);
  EXPECT_GE(cpu_count(), 1U);
}

}  // namespace
}  // namespace h2park
