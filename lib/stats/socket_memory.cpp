#include "stats/socket_memory.hpp"

#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace h2park::stats {

std::optional<std::uint64_t> socket_queued_bytes(int fd) {
  std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
  socklen_t length = sizeof(info);
  if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info.data(), &length) != 0) return std::nullopt;
  // TCP counts what is written in WMEM_QUEUED, and the part of it now on its way in WMEM_ALLOC once more. A
  // unix socket knows only WMEM_ALLOC. So the larger one is right for both.
  const std::uint32_t written = std::max(info[SK_MEMINFO_WMEM_QUEUED], info[SK_MEMINFO_WMEM_ALLOC]);
  return std::uint64_t{info[SK_MEMINFO_RMEM_ALLOC]} + written;
}

bool can_measure_sockets() {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answered = socket_queued_bytes(fd).has_value();
  ::close(fd);
  return answered;
}

}  // namespace h2park::stats
