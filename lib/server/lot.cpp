#include "server/lot.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace h2park::server {
namespace {

// Keys of what is no connection: ids that no ticket has, because there are not so many.
constexpr std::uint32_t kOtherIndex = UINT32_MAX;
constexpr std::uint32_t kBellNumber = UINT32_MAX;

constexpr std::uint64_t key_of(std::uint32_t number) { return std::uint64_t{number} << 32 | kOtherIndex; }

int wait_for_events(int epoll, std::span<epoll_event> events, Duration most) {
  const auto size = static_cast<int>(events.size());
  most = std::clamp<Duration>(most, Duration::zero(), std::chrono::hours(24));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(most);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (most - seconds).count()};
  const int n = epoll_pwait2(epoll, events.data(), size, &time, nullptr);
  if (n >= 0 || errno == EINTR) return n;
  // A kernel before 5.11, or a sandbox that does not know the call.
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(most);
  return epoll_wait(epoll, events.data(), size, static_cast<int>(ms.count()));
}

}  // namespace

Result<Lot> Lot::open() {
  net::UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return system_failure("cannot make an epoll set", errno);
  net::UniqueFd bell(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!bell) return system_failure("cannot make an event descriptor", errno);
  Lot lot(std::move(epoll), std::move(bell));
  if (const int error = lot.watch(lot.bell_.get(), kBellNumber); error != 0) {
    return system_failure("cannot use an epoll set", error);
  }
  return lot;
}

int Lot::add(int descriptor, ConnectionId id, std::uint32_t interest) {
  return control(EPOLL_CTL_ADD, descriptor, id.packed(), interest);
}

int Lot::change(int descriptor, ConnectionId id, std::uint32_t interest) {
  return control(EPOLL_CTL_MOD, descriptor, id.packed(), interest);
}

int Lot::watch(int descriptor, std::uint32_t number) {
  return control(EPOLL_CTL_ADD, descriptor, key_of(number), kInput);
}

void Lot::unwatch(int descriptor) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr); }

int Lot::control(int operation, int descriptor, std::uint64_t key, std::uint32_t interest) {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = key;
  return epoll_ctl(epoll_.get(), operation, descriptor, &event) == 0 ? 0 : errno;
}

void Lot::ring() {
  const std::uint64_t one = 1;
  // A counter that is full has been rung.
  if (write(bell_.get(), &one, sizeof one) != sizeof one) return;
}

void Lot::wait(Duration most) {
  collect(most);
  fresh_ = true;
}

void Lot::collect(Duration most) {
  others_.clear();
  rung_ = false;
  count_ = 0;
  const int n = wait_for_events(epoll_.get(), events_, most);
  for (int i = 0; i < n; ++i) take(events_[static_cast<std::size_t>(i)]);
}

// Closes the gap that others leave among the connections.
void Lot::take(const epoll_event& event) {
  const ConnectionId id = ConnectionId::unpack(event.data.u64);
  if (id.index != kOtherIndex) {
    events_[count_++] = event;
  } else if (id.generation != kBellNumber) {
    others_.push_back(id.generation);
  } else {
    std::uint64_t rings = 0;
    rung_ = read(bell_.get(), &rings, sizeof rings) == sizeof rings;
  }
}

}  // namespace h2park::server
