#include "stats/slab_info.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace h2park::stats {
namespace {

constexpr const char* kHead =
    "slabinfo - version: 2.1\n"
    "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> "
    "<batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n";
constexpr const char* kTail = " : tunables    0    0    0 : slabdata      2      2      0\n";

/// A line for each of these beginnings.
std::optional<std::uint64_t> parse(const std::vector<std::string>& lines) {
  std::string text = kHead;
  for (const std::string& line : lines) text += line + kTail;
  std::istringstream file(text);
  return parse_socket_slabs(file, 4096);
}

const std::string kTcpV6 = "TCPv6                 26     26   2496   13    8";
const std::string kTcp = "TCP                   92    143   2368   13    8";
const std::string kSocket = "sock_inode_cache     152    152    832   19    4";
const std::string kFile = "filp                 670    693    192   21    1";
const std::string kDentry = "dentry            343184 343329    192   21    1";

TEST(SlabInfo, AddsUpASocketsObjectsWithTheirShareOfTheSlabsPages) {
  EXPECT_EQ(parse({kTcpV6, kTcp, kSocket, kFile, kDentry}),
            8 * 4096 / 13 + 4 * 4096 / 19 + 4096 / 21 + 4096 / 21);
}

TEST(SlabInfo, SaysNullWhereOneIsMissing) {
  EXPECT_EQ(parse({kTcp, kSocket, kFile}), std::nullopt) << "the kernel has merged dentry with another";
  EXPECT_EQ(parse({kTcpV6, kSocket, kFile, kDentry}), std::nullopt);
  EXPECT_EQ(parse({}), std::nullopt);
}

TEST(SlabInfo, SaysNullForWhatItDoesNotUnderstand) {
  EXPECT_EQ(parse({"TCP 92 143 2368 0 8", kSocket, kFile, kDentry}), std::nullopt) << "no object in a slab";
  EXPECT_EQ(parse({"TCP 92 x 2368 13 8", kSocket, kFile, kDentry}), std::nullopt);
  std::istringstream nothing;
  EXPECT_EQ(parse_socket_slabs(nothing, 4096), std::nullopt);
}

TEST(SlabInfo, SaysNullExactlyWhereTheKernelDoesNotShowIt) {
  std::ifstream file("/proc/slabinfo");
  const auto expected = parse_socket_slabs(file, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(socket_fixed_bytes(), expected);
  // A tcp_sock alone has been over a KiB since Linux 2.6.
  EXPECT_GT(expected.value_or(4096), 1024U);
}

}  // namespace
}  // namespace h2park::stats
