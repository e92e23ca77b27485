// Worker: one serving thread's connections and what they share, without the thread.
//
// The thread (worker_thread.hpp) waits in the lot, and calls turn() when that ends. Tests call it themselves,
// with a clock of their own.
#pragma once

#include "base/heap_trim.hpp"
#include "base/thread_check.hpp"
#include "http2/session_factory.hpp"
#include "net/unique_fd.hpp"
#include "server/connection_context.hpp"
#include "server/deadlines.hpp"
#include "server/dormancy.hpp"
#include "server/freezing.hpp"
#include "server/gate.hpp"
#include "server/lot.hpp"
#include "server/memory_sample.hpp"
#include "server/tickets.hpp"
#include "stats/depths.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace h2park::tls {
class ServerContext;
}

namespace h2park::server {

/// What all workers of a server share.
struct ServerShare {
  std::atomic<std::size_t> open_connections{0};
  std::atomic<std::uint64_t> next_number{1};
};

/// Thread: one, which calls bind() first. gate() may be used by all.
class Worker {
 public:
  /// Lifetime: all references outlive the worker. `ring`: asks the worker's thread for a turn(), from any
  /// thread.
  /// `slots` null: connections live on the heap and are never frozen.
  Worker(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot, TimeSource& time,
         std::function<void()> ring, freezer::Slots* slots = nullptr);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// The calling thread owns the worker from now on.
  void bind() {
    thread_.bind_here();
    gate_.bind();
  }

  /// Takes a connected, non-blocking socket; `tls` null for plain. Over --max-connections it is closed at
  /// once. Returns the id it got, or nothing.
  std::optional<ConnectionId> adopt(net::UniqueFd socket, tls::ServerContext* tls);

  /// Does what there is to do now, bounded: for what lot().wait() found, or without it for what the lot has
  /// now. True: there is more that the lot will not announce, come again without waiting.
  bool turn();
  /// When turn() is to be called at the latest.
  TimePoint next_deadline() const { return std::min(deadlines_.next(), freezing_.next()); }

  /// Shutdown, first and second phase. Each connection is told through the gate.
  void stop(StopPhase phase);
  bool empty() const { return tickets_.size() == 0; }

  /// Measures what is too dear to count all the time, a slice of the connections at a time. True: that was
  /// the last slice, and counters() tell.
  bool sample_memory();

  /// How deep each connection sleeps, for the places below `end`. Disturbs none of them.
  stats::ThreadDepths depths(std::size_t end);

  /// Makes a few synthetic connections and learns from them what an image is compressed against. Before any
  /// other connection; counts nothing. Errors: no memory, no sockets.
  /// `tls`: null if there will be no TLS connections.
  Result<> learn_dictionary(tls::ServerContext* tls = nullptr);

  Gate& gate() { return gate_; }
  Dormancy& dormancy() { return dormancy_; }
  Freezing& freezing() { return freezing_; }
  stats::ThreadCounters& counters() { return counters_; }
  Lot& lot() { return lot_; }
  std::size_t connections() const { return tickets_.size(); }
  Tickets& tickets() { return tickets_; }

 private:
  void wake(ConnectionId id, WakeSet reasons);
  std::nullopt_t refuse();
  Connection* make_connection(net::UniqueFd socket, tls::ServerContext* tls, std::uint64_t number);
  void retire(Connection& connection);
  void bury(ConnectionId id);
  void forget(ConnectionId id, http::CloseReason reason, bool secure);
  void publish();
  Result<> learn(tls::ServerContext* tls);

  [[no_unique_address]] ThreadCheck thread_;
  const Options& options_;
  ServerShare& share_;
  stats::ThreadCounters counters_;
  Tickets tickets_;
  HeapTrim heap_trim_;
  Gate gate_;
  Lot lot_;
  Deadlines deadlines_;
  Freezing freezing_;
  http2::SessionFactory http2_sessions_;
  std::vector<std::byte> read_buffer_;
  std::vector<std::byte> gather_buffer_;
  ConnectionContext context_;
  Dormancy dormancy_;
  MemorySample memory_sample_;
};

}  // namespace h2park::server
