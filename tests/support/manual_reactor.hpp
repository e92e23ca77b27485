// ManualReactor: a reactor that a test turns by hand, on a clock that only the test moves.
//
// Descriptors are real (socket pairs, loopback). What one end writes the other can read in the same turn, so
// a test that drives both ends sees the same order of events each time.
#pragma once

#include "net/reactor.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace h2park::test {

/// Thread: the test's; post() from any.
/// Lifetime: Watches and Timers end before it.
class ManualReactor final : public net::Reactor {
 public:
  ManualReactor();
  /// Fails the test if a Watch is left.
  ~ManualReactor() override;
  ManualReactor(const ManualReactor&) = delete;
  ManualReactor& operator=(const ManualReactor&) = delete;

  const TimeSource& time() const override { return clock_; }
  std::unique_ptr<net::Watch> watch(int fd, net::ReadyListener& listener) override;
  net::TimerQueue& timers() override { return timers_; }
  void post(std::move_only_function<void()> work) override;

  /// Runs what was posted, calls listeners and fires what is due at this time, until nothing more happens.
  /// The test fails if that takes more rounds than any honest exchange (false).
  bool turn();
  /// Lets `by` pass: stops at each deadline on the way, fires it there, and turns.
  void advance(Duration by);
  /// Turns until `done` holds; between two turns real time passes, for what other threads or processes do.
  /// False, and the test fails, if it never comes (10 s).
  bool turn_until(const std::function<bool()>& done);

  TimePoint now() const { return clock_.now(); }
  /// How many exist.
  std::size_t watches() const { return watches_.size(); }
  /// What the Watch of `fd` waits for; false without one.
  bool wants_read(int fd) const;
  bool wants_write(int fd) const;

 private:
  class ManualWatch;

  bool run_posted();
  bool call_ready();
  bool fire_due();
  bool round();
  ManualWatch* alive(std::uint64_t id) const;
  const ManualWatch* find(int fd) const;

  ManualTime clock_;
  net::TimerQueue timers_;
  std::list<ManualWatch*> watches_;
  std::uint64_t last_id_ = 0;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::move_only_function<void()>> posted_;  // guarded by mutex_
};

}  // namespace h2park::test
