// WorkerThread: a worker with its thread.
//
// The thread waits in the worker's lot: for its connections, for its listeners, for the next deadline, and
// for the bell, which rings for what other threads post and send. All of them end in a turn of the worker.
#pragma once

#include "server/acceptor.hpp"
#include "server/worker.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace h2park::server {

/// Thread: constructed, started and destroyed by one other thread; post() by all; the rest on its own.
class WorkerThread {
 public:
  WorkerThread(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot,
               freezer::Slots* slots);
  ~WorkerThread() { join(); }

  /// Before start().
  void set_tls(std::shared_ptr<tls::ServerContext> context) { tls_ = std::move(context); }
  void listen(net::ListenSocket socket, Acceptor::OnConnection on_connection);
  void start();

  /// Runs `work` on the thread. Any thread; also before start().
  void post(std::function<void()> work);

  // ---- on the thread
  void adopt(net::UniqueFd socket, bool secure);
  /// New handshakes use `context`.
  void replace_tls(std::shared_ptr<tls::ServerContext> context);
  void stop(StopPhase phase);
  Worker& worker() { return worker_; }

  /// Waits until the thread has ended, which it does after stop() when no connection is left.
  void join();

 private:
  void run();
  void warm_up();
  Duration until_next() const;
  void run_posted();
  void accept();
  bool done() { return stopping_ && worker_.empty(); }

  SystemTime time_;
  Worker worker_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;  // by their number in the lot
  std::shared_ptr<tls::ServerContext> tls_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace h2park::server
