// WorkerGroup: all serving threads of a server, and how connections are dealt out to them.
#pragma once

#include "net/listen_socket.hpp"
#include "server/worker_thread.hpp"
#include "tls/slot_routing.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace h2park::server {

/// Thread: made, started and joined by one thread; for_each() and the readers by any.
class WorkerGroup {
 public:
  /// Errors: the system refuses an epoll set.
  Result<> prepare(const Options& options, const http::Handler& handler,
                   std::shared_ptr<tls::ServerContext> tls);

  /// Before start(). One of a port's shares: the worker of that number has it for its own.
  void listen_shared(net::ListenSocket socket, bool secure);
  /// Before start(). The only socket of its address (unix, or given by the service manager): the first worker
  /// accepts, and deals the connections out in turn.
  void listen_alone(net::ListenSocket socket, bool secure);
  /// "http://127.0.0.1:8080", "https://[::]:8443", "unix:/run/x.sock": each once.
  const std::vector<std::string>& addresses() const { return addresses_; }

  /// Before connections use `tls`: what it allocates at first use shall not lie in their slots.
  void rehearse(tls::ServerContext& tls) const;
  void start();
  /// The first phase of the shutdown on each worker. The first worker goes before the others: it still deals
  /// out what its listeners have queued.
  void stop_gracefully();
  /// Runs `work` on each worker's thread, soon.
  void for_each(const std::function<void(WorkerThread&)>& work);
  /// Waits until every thread has ended.
  void join();

  /// Connections have slots: they can be frozen.
  bool has_slots() const { return slots_.has_value(); }
  /// The workers' counters, valid as long as the group.
  std::vector<const stats::ThreadCounters*> counters() const;
  /// Has every worker measure its connections' memory, unless that was done within the last second, or would
  /// cost a thread more than half a hundredth of its time; waits a moment for the answers.
  void sample_memory();
  /// Asks every worker how deep its connections sleep; waits a moment for the answers.
  stats::Depths depths();

 private:
  void prepare_freezing(const Options& options);
  void announce(const net::ListenSocket& socket, bool secure);
  void deal(net::UniqueFd socket, bool secure);

  ServerShare share_;
  // Both outlive the workers.
  std::optional<freezer::Slots> slots_;           // empty: nothing is frozen
  std::optional<tls::RoutedSlots> routed_slots_;  // empty: no TLS connection is frozen
  std::vector<std::unique_ptr<WorkerThread>> workers_;
  std::vector<std::string> addresses_;
  std::size_t next_ = 0;  // the first worker's thread
  std::mutex mutex_;
  // guarded by mutex_
  TimePoint next_sample_;
  std::vector<std::future<Duration>> samples_;  // under way, by worker
};

}  // namespace h2park::server
