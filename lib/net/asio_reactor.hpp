// AsioReactor: the reactor that a client really runs on, one boost::asio::io_context on one thread.
//
// A request on a warm connection costs send, epoll_ctl, epoll_wait and recv: Asio asks the kernel anew for
// each wait. A loop with its descriptors always in the set saves that epoll_ctl, which is 0.15 us of some 3
// (100 bytes there, 200 back, loopback), and would have timers, signals and wake-ups to do again.
#pragma once

#include "net/reactor.hpp"

#include <functional>
#include <memory>

namespace h2park::net {

/// Thread: the one that calls run(), and before it the one that made it; post() and stop() from any.
/// Lifetime: Watches and Timers end before it; work that was posted and did not run is destroyed with it.
class AsioReactor final : public Reactor {
 public:
  AsioReactor();
  ~AsioReactor() override;
  AsioReactor(const AsioReactor&) = delete;
  AsioReactor& operator=(const AsioReactor&) = delete;

  const TimeSource& time() const override;
  std::unique_ptr<Watch> watch(int fd, ReadyListener& listener) override;
  TimerQueue& timers() override;
  void post(std::move_only_function<void()> work) override;

  /// Calls listeners, timers and posted work until stop(); after that it may be called again. Errors: what a
  /// callback throws.
  void run();
  /// Ends run() when the callback that runs has returned; called before run(), ends it before it begins.
  void stop();
  /// From now on `signal` (SIGINT, SIGTERM ...) calls `callback` each time, in a turn of its own. One
  /// callback per signal: the last one.
  void on_signal(int signal, std::function<void()> callback);

 private:
  class Loop;
  class AsioWatch;
  std::unique_ptr<Loop> loop_;
};

}  // namespace h2park::net
