// Acceptor: takes connections from one listening socket, on a worker's thread.
#pragma once

#include "base/clock.hpp"
#include "net/listen_socket.hpp"
#include "server/lot.hpp"

#include <functional>

namespace h2park::server {

/// Thread: the worker's.
class Acceptor {
 public:
  using OnConnection = std::function<void(net::UniqueFd)>;

  /// `number`: how the lot announces it. Lifetime: `lot` outlives it.
  Acceptor(Lot& lot, std::uint32_t number, net::ListenSocket socket, OnConnection on_connection);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void start(TimePoint now);
  /// The lot announced it: takes a few of those that wait.
  void accept_some(TimePoint now);
  /// While descriptors, or the kernel's memory, have run out: when it looks again. kNever: it does not wait
  /// for that.
  TimePoint resumes_at() const { return resumes_at_; }
  void resume_if_due(TimePoint now);
  /// Takes what is queued, then closes the listener: nobody who was let in by the kernel is turned away.
  void stop();

 private:
  void pause(TimePoint now, int error);

  Lot& lot_;
  const std::uint32_t number_;
  net::ListenSocket socket_;
  OnConnection on_connection_;
  TimePoint resumes_at_ = kNever;
  bool stopped_ = false;
};

}  // namespace h2park::server
