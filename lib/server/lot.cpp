#include "server/lot.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace h2park::server {

Result<Lot> Lot::open() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return system_failure("cannot make an epoll set", errno);
  return Lot(epoll);
}

Lot::Lot(Lot&& other) noexcept : epoll_(std::exchange(other.epoll_, -1)) {}

Lot::~Lot() {
  if (epoll_ >= 0) close(epoll_);
}

int Lot::add(int descriptor, ConnectionId id, std::uint32_t interest) {
  return control(EPOLL_CTL_ADD, descriptor, id, interest);
}

int Lot::change(int descriptor, ConnectionId id, std::uint32_t interest) {
  return control(EPOLL_CTL_MOD, descriptor, id, interest);
}

int Lot::control(int operation, int descriptor, ConnectionId id, std::uint32_t interest) {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = id.packed();
  return epoll_ctl(epoll_, operation, descriptor, &event) == 0 ? 0 : errno;
}

}  // namespace h2park::server
