// WorkerThread: a worker with its thread and its Asio loop.
//
// The loop waits for the lot's descriptor, for the listeners, for a timer at the worker's next deadline and
// for what other threads post. All of them end in a turn of the worker.
#pragma once

#include "server/acceptor.hpp"
#include "server/worker.hpp"

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace h2park::server {

/// Thread: constructed, started and destroyed by one other thread; post() by all; the rest on its own.
class WorkerThread {
 public:
  WorkerThread(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot,
               freezer::Slots* slots);
  ~WorkerThread();

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
  void turn();
  void wait_for_lot();
  void arm_timer();
  void end_if_done();

  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  SystemTime time_;
  Worker worker_;
  boost::asio::posix::stream_descriptor lot_watch_;
  boost::asio::steady_timer timer_;
  TimePoint timer_at_ = kNever;
  bool turn_posted_ = false;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::shared_ptr<tls::ServerContext> tls_;
  std::thread thread_;
};

}  // namespace h2park::server
