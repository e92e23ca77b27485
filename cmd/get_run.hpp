// GetRun: the workers of `get`, each making one request after another.
//
//   worker: take a slot -> wait until it is due -> fetch -> think -> again, until there is no slot
//
// A run ends when every worker has. stop() and, a second after --duration, the run itself give up what is
// under way.
#pragma once

#include "base/task.hpp"
#include "client/client.hpp"
#include "cmd/get_pacer.hpp"
#include "cmd/get_reports.hpp"
#include "cmd/get_settings.hpp"
#include "cmd/get_transfer.hpp"
#include "net/reactor.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace h2park::cmd {

/// Thread: the reactor's.
class GetRun {
 public:
  /// Client::fetch(), or what a test has in its place.
  using Fetch = std::function<Task<>(client::Request, client::ResponseListener&, client::Client::OnSettled)>;

  /// How long requests that are under way at the end of --duration may still take.
  static constexpr Duration kGrace = std::chrono::seconds(1);

  /// Lifetime: all outlive the run. `on_end` is called once, in a turn of its own, when no fetch is under way
  /// any more; requests may still have to settle.
  GetRun(net::Reactor& reactor, const GetSettings& settings, Reports& reports, Fetch fetch,
         std::function<void()> on_end);
  ~GetRun();
  GetRun(const GetRun&) = delete;
  GetRun& operator=(const GetRun&) = delete;

  /// Inside a turn of the reactor, so that what ends at once is told in a later one.
  void start();
  /// Gives up what is under way and begins nothing more. Not from inside a fetch.
  void stop();

  /// What escaped from a fetch, which is a bug, or null.
  std::exception_ptr exception() const;
  /// From start() to the end of the last request.
  Duration duration() const { return pacer_ ? last_end_ - pacer_->start() : Duration::zero(); }

 private:
  class Worker;

  void worker_ended();
  void settled(const Pending& pending, const client::Record& record);
  TimePoint now() const { return reactor_.time().now(); }

  net::Reactor& reactor_;
  const GetSettings& settings_;
  Reports& reports_;
  const Fetch fetch_;
  std::optional<Pacer> pacer_;  // from start() on
  const Transfer::Shared transfers_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t working_ = 0;
  TimePoint last_end_;
  net::Timer stop_;
  net::Timer end_;
};

}  // namespace h2park::cmd
