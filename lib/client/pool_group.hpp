// PoolGroup: a pool's connections to one origin, and the requests that wait for one of them.
#pragma once

#include "client/connection.hpp"
#include "client/dialer.hpp"
#include "client/failure.hpp"
#include "net/timer_queue.hpp"

#include <coroutine>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <boost/intrusive/list.hpp>

namespace h2park::client {

/// A request that waits for a connection. Shared by the request's coroutine and the queue.
struct PoolWaiter {
  PoolWaiter(PoolGroup& at, const http1::RequestTraits& request, bool must_be_fresh)
      : group(at), traits(request), fresh(must_be_fresh) {}

  PoolGroup& group;
  const http1::RequestTraits traits;
  const bool fresh;
  std::optional<net::Timer> timer;

  // Its answer: one of the two.
  Connection* given = nullptr;
  std::optional<Failure> failure;
  std::coroutine_handle<> waiting;

  bool is_answered() const { return given != nullptr || failure.has_value(); }
};

/// A connection on its way.
struct PoolDial {
  std::unique_ptr<Connection> connection;
  PoolGroup* group;
  std::weak_ptr<PoolWaiter> asker;
  std::optional<net::Timer> timer;  ///< the connect timeout
  std::shared_ptr<void> handle;     ///< destroyed: given up
};

struct PoolGroup {
  using Idle = boost::intrusive::list<
      Connection, boost::intrusive::member_hook<Connection, Connection::Hook, &Connection::group_hook>,
      boost::intrusive::constant_time_size<false>>;

  /// The reason that a user would want to read; takes note of the dial.
  MissReason begin_dial(bool fresh);
  void note_closed(CloseReason reason);
  /// The first that a connection can be given to, off the queue; or null.
  std::shared_ptr<PoolWaiter> next_waiter(const Connection& connection);
  /// To the head of the queue, if it is in it.
  void prefer(const PoolWaiter& waiter);
  /// False if it was not in the queue.
  bool remove(const PoolWaiter& waiter);

  Idle idle;  ///< used last first
  std::deque<std::shared_ptr<PoolWaiter>> waiters;
  /// Why connections were closed for which none has been dialled since.
  std::vector<CloseReason> unreplaced;
  std::size_t dials = 0;  ///< under way
  std::size_t draining = 0;
  bool dialled_before = false;
};

}  // namespace h2park::client
