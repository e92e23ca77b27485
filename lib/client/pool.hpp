// Pool: the connections of a client, by origin, and the requests that wait for one.
//
// 1. An idle connection to the origin is taken, the one used last first: the others may then grow old and go.
// 2. Otherwise the request waits, and a connection is dialled for it. What becomes idle first is given to the
//    request that has waited longest, be it the dialled connection, one that was drained or one whose request
//    is over.
// 3. So a dialled connection may find that nobody waits: it stays in the pool, idle, for the next.
//    A dial whose request was served otherwise becomes that of the next request that needs one.
// 4. A dial that fails ends the waiting of the request that it was begun for; others have dials of their own.
// 5. A request that must have a fresh connection (a retry) only gets one that has served nobody.
#pragma once

#include "client/connection.hpp"
#include "client/counts.hpp"
#include "client/dialer.hpp"
#include "client/failure.hpp"
#include "client/options.hpp"
#include "client/pool_group.hpp"
#include "net/reactor.hpp"

#include <coroutine>
#include <expected>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <boost/intrusive/list.hpp>

namespace h2park::client {

/// What a request wants of the pool.
struct Want {
  const Origin& origin;
  http1::RequestTraits traits;
  bool fresh = false;  ///< a retry: no connection that has served others
  TimePoint deadline = kNever;
};

/// A connection in use by one request. Closed as kFailed unless answered() or close() was called on it.
class Lease {
 public:
  explicit Lease(Connection& connection) : connection_(&connection) {}
  Lease(Lease&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (connection_ != nullptr) connection_->close(CloseReason::kFailed);
  }
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_; }
  /// Ends the lease: the connection goes its own way.
  Connection& release() { return *std::exchange(connection_, nullptr); }

 private:
  Connection* connection_;
};

/// Thread: the client's. Lifetime: longer than every Lease and Waiting.
class Pool final : private ConnectionOwner {
 public:
  Pool(net::Reactor& reactor, Dialer& dialer, const Options& options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// An idle connection, without waiting.
  std::optional<Lease> take_idle(const Want& want);

  class Waiting;
  /// co_await: dials, and waits for that connection or another: std::expected<Lease, Failure>.
  /// Requires: take_idle() found none (or want.fresh).
  Waiting wait_for(const Want& want);

  /// Tells when nothing is being drained; at once if so.
  void when_drained(std::move_only_function<void()> done);
  /// Ends every drain as if its time were over.
  void cut_drains();
  /// Every connection and every dial. Requires: no lease and no waiting request.
  void close_all();

  const ClientCounts& counts() const { return counts_; }

 private:
  using Dials = std::list<PoolDial>;

  void on_state(Connection& connection, ConnectionState from, ConnectionState to) override;
  void on_idle(Connection& connection);
  void on_closed(Connection& connection);
  void answer(const std::shared_ptr<PoolWaiter>& waiter);
  void fail(const std::weak_ptr<PoolWaiter>& waiter, Failure failure);
  bool adopt_dial(const PoolGroup& group, const std::shared_ptr<PoolWaiter>& waiter);
  void dial(PoolGroup& group, const Origin& origin, const std::shared_ptr<PoolWaiter>& asker);
  void on_dialled(Dials::iterator dial, std::expected<Dialled, Failure> result);

  net::Reactor& reactor_;
  Dialer& dialer_;
  const Options& options_;
  std::vector<std::byte> read_buffer_;
  const ConnectionShared shared_;

  std::map<Origin, PoolGroup> groups_;
  Dials dials_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  using ByAge = boost::intrusive::list<
      Connection, boost::intrusive::member_hook<Connection, Connection::Hook, &Connection::age_hook>,
      boost::intrusive::constant_time_size<false>>;
  ByAge idle_;  // idle longest first
  /// Closed connections, until the turn after: their own functions may still be running.
  std::shared_ptr<std::vector<std::unique_ptr<Connection>>> closed_;
  std::move_only_function<void()> on_drained_;
  ClientCounts counts_;
};

/// Destroying it gives the wait up; the connection that was dialled for it stays in the pool.
class Pool::Waiting {
 public:
  Waiting(Pool& pool, std::shared_ptr<PoolWaiter> waiter) : pool_(pool), waiter_(std::move(waiter)) {}
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  bool await_ready() const noexcept;
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  std::expected<Lease, Failure> await_resume();

 private:
  Pool& pool_;
  std::shared_ptr<PoolWaiter> waiter_;
};

}  // namespace h2park::client
