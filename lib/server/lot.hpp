// Lot: a worker's own level-triggered epoll set, and all that its thread waits for.
//
// 1. The connections' sockets. An event carries the connection's id, so that parking, freezing and waking
//    need no epoll_ctl. Readiness is a hint: the reader finds out with EAGAIN.
// 2. Other descriptors (listeners), by number.
// 3. A bell that other threads ring.
// 4. The time: wait() ends at the latest when the next deadline is due.
// So a wake-up costs one system call. (Behind a general event loop it cost four: the loop's wait, the set's
// own, another one that finds it empty, and asking the loop to look again.)
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/unique_fd.hpp"
#include "server/connection_id.hpp"

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace h2park::server {

/// Thread: the worker's, except ring().
class Lot {
 public:
  enum Interest : std::uint32_t { kInput = EPOLLIN, kOutput = EPOLLOUT };
  static constexpr std::size_t kBatch = 64;

  static Result<Lot> open();

  int descriptor() const { return epoll_.get(); }
  /// `interest`: bits of Interest; errors and hang-ups are always reported. Errors: errno, 0 if it went well.
  int add(int descriptor, ConnectionId id, std::uint32_t interest);
  int change(int descriptor, ConnectionId id, std::uint32_t interest);
  /// Another descriptor, whose input wait() announces by `number`. Errors: as above.
  int watch(int descriptor, std::uint32_t number);
  /// Closing a descriptor does the same.
  void unwatch(int descriptor);

  /// Any thread: wait() ends, now or when it is called next.
  void ring();

  /// Waits for events, a ring or until `most` is over, and keeps the connections' events for drain(). Less
  /// than a microsecond is none.
  void wait(Duration most);
  /// What the last wait() found: numbers of watch(), and whether somebody rang.
  std::span<const std::uint32_t> others() const { return others_; }
  bool rung() const { return rung_; }

  /// on_event(id, epoll bits) for what the last wait() found; without one, or a second time, for what there
  /// is now. At most kBatch events: returns how many.
  template <class OnEvent>
  std::size_t drain(OnEvent&& on_event) {
    if (!std::exchange(fresh_, false)) collect(Duration::zero());
    for (std::size_t i = 0; i < count_; ++i) {
      on_event(ConnectionId::unpack(events_[i].data.u64), static_cast<std::uint32_t>(events_[i].events));
    }
    return std::exchange(count_, 0);
  }

 private:
  Lot(net::UniqueFd epoll, net::UniqueFd bell) : epoll_(std::move(epoll)), bell_(std::move(bell)) {}
  int control(int operation, int descriptor, std::uint64_t key, std::uint32_t interest);
  void collect(Duration most);
  void take(const epoll_event& event);

  net::UniqueFd epoll_;
  net::UniqueFd bell_;
  std::array<epoll_event, kBatch> events_{};  // of connections
  std::size_t count_ = 0;
  bool fresh_ = false;  // events_ come from wait()
  bool rung_ = false;
  std::vector<std::uint32_t> others_;
};

}  // namespace h2park::server
