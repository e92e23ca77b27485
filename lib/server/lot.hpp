// Lot: a worker's own level-triggered epoll set with all its connection sockets.
//
// An event carries the connection's id, so that parking, freezing and waking need no epoll_ctl. Readiness is
// a hint: the reader finds out with EAGAIN. The set itself is one descriptor in the worker's loop.
#pragma once

#include "base/error.hpp"
#include "server/connection_id.hpp"

#include <sys/epoll.h>

#include <array>
#include <cstdint>

namespace h2park::server {

/// Thread: the worker's.
class Lot {
 public:
  enum Interest : std::uint32_t { kInput = EPOLLIN, kOutput = EPOLLOUT };
  static constexpr std::size_t kBatch = 64;

  static Result<Lot> open();
  Lot(Lot&& other) noexcept;
  Lot& operator=(Lot&&) = delete;
  ~Lot();

  int descriptor() const { return epoll_; }
  /// `interest`: bits of Interest; errors and hang-ups are always reported. Errors: errno, 0 if it went well.
  int add(int descriptor, ConnectionId id, std::uint32_t interest);
  int change(int descriptor, ConnectionId id, std::uint32_t interest);

  /// Takes at most kBatch events without waiting: on_event(id, epoll bits). Returns how many there were.
  template <class OnEvent>
  std::size_t drain(OnEvent&& on_event) {
    std::array<epoll_event, kBatch> events;
    const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      on_event(ConnectionId::unpack(event.data.u64), static_cast<std::uint32_t>(event.events));
    }
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

 private:
  explicit Lot(int epoll) : epoll_(epoll) {}
  int control(int operation, int descriptor, ConnectionId id, std::uint32_t interest);

  int epoll_;
};

}  // namespace h2park::server
