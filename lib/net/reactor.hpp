// Reactor: what a client waits with: descriptors that become ready, points in time, the next turn.
//
// An interface, so that tests can turn it by hand on a clock of their own (tests/support/manual_reactor.hpp);
// the real one is net/asio_reactor.hpp.
#pragma once

#include "base/clock.hpp"
#include "net/timer_queue.hpp"

#include <functional>
#include <memory>

namespace h2park::net {

/// Told of readiness, which is a hint: the call that follows may still find nothing.
class ReadyListener {
 public:
  /// The descriptor has input, EOF or an error.
  virtual void on_readable() = 0;
  /// The descriptor takes output, or has an error.
  virtual void on_writable() = 0;

 protected:
  ~ReadyListener() = default;
};

/// One descriptor under watch. Each want is answered once; what is wanted again is asked for again.
/// Lifetime: ends with the object, which may be destroyed inside its own callback; no callback afterwards.
/// The descriptor stays open, and stays so until the Watch is gone.
class Watch {
 public:
  virtual ~Watch() = default;
  /// Asking again while a want is unanswered changes nothing.
  virtual void want_read() = 0;
  virtual void want_write() = 0;
};

/// Thread: one reactor per thread; everything here is called, and calls, on it.
class Reactor {
 public:
  virtual ~Reactor() = default;

  /// A clock that does not stand still within a callback: what it says is also what is measured.
  virtual const TimeSource& time() const = 0;
  /// Requires: `fd` is non-blocking and not watched yet; `listener` outlives the Watch.
  virtual std::unique_ptr<Watch> watch(int fd, ReadyListener& listener) = 0;
  /// Deadlines: see Timer.
  virtual TimerQueue& timers() = 0;
  /// Calls `work` on the reactor's thread in a later turn, never from inside this call.
  /// Thread: any.
  virtual void post(std::move_only_function<void()> work) = 0;
};

}  // namespace h2park::net
