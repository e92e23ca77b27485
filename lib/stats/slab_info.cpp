#include "stats/slab_info.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace h2park::stats {
namespace {

constexpr std::array<std::string_view, 4> kSocketCaches = {"TCP", "sock_inode_cache", "filp", "dentry"};

}  // namespace

std::optional<std::uint64_t> parse_socket_slabs(std::istream& slabinfo, std::uint64_t page_bytes) {
  std::uint64_t total = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(slabinfo, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t active = 0, objects = 0, object_bytes = 0, objects_per_slab = 0, pages_per_slab = 0;
    words >> name >> active >> objects >> object_bytes >> objects_per_slab >> pages_per_slab;
    if (!words || objects_per_slab == 0 || std::ranges::find(kSocketCaches, name) == kSocketCaches.end()) {
      continue;
    }
    total += pages_per_slab * page_bytes / objects_per_slab;
    ++found;
  }
  if (found != kSocketCaches.size()) return std::nullopt;
  return total;
}

std::optional<std::uint64_t> socket_fixed_bytes() {
  static const std::optional<std::uint64_t> bytes = [] {
    std::ifstream slabinfo("/proc/slabinfo");
    return parse_socket_slabs(slabinfo, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  }();
  return bytes;
}

}  // namespace h2park::stats
