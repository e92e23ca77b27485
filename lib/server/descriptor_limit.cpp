#include "server/descriptor_limit.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace h2park::server {
namespace {

constexpr std::size_t kReserved = 64;

// "Unlimited" is no number of connections to make room for.
constexpr std::size_t kMost = 1U << 20;

std::size_t limit_now() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return std::min<std::size_t>(limit.rlim_cur, kMost);
}

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t connections_by_descriptors() {
  const std::size_t limit = limit_now();
  return limit > 2 * kReserved ? limit - kReserved : limit / 2;
}

}  // namespace h2park::server
