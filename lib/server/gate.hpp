// Gate: the one way to wake a connection, from any thread.
//
//   1. send(id, reason) sets the reason's bit in the ticket's word, if the generation still fits.
//   2. If no bit was set before, the id goes into the worker's inbox (from its own thread: into its local
//   list).
//      A foreign sender that finds the inbox empty also rings the worker.
//   3. The worker takes inbox and list once per turn; for each id it clears the bits and wakes the connection
//   with
//      them: a parked one is revived, a waiting serve coroutine resumed.
//
// No wake-up is lost: a set bit always has its id in the inbox or in the list, because the one sender that
// turned the word from "nothing pending" to "pending" puts it there, and the worker clears the bits only
// after it took the id out. Whether the connection was active, about to park or parked when the bit was set
// makes no difference to that; the serve loop looks at the word before it parks (registered()), only to save
// the revival.
#pragma once

#include "server/connection_id.hpp"
#include "server/tickets.hpp"
#include "server/wake_set.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace h2park::server {

class Gate {
 public:
  /// `ring` wakes the worker's loop from another thread. Lifetime: `tickets` outlives the gate.
  /// Thread: constructed anywhere; deliver() and registered() belong to one thread, bound by bind().
  Gate(Tickets& tickets, std::function<void()> ring);

  /// The calling thread becomes the owner.
  void bind();

  /// Any thread. False: the connection is gone.
  bool send(ConnectionId id, WakeReason reason);

  /// Owner. A send is on its way: do not park.
  WakeSet registered(ConnectionId id) const;

  /// Owner. True if deliver() has something to do that no ring will announce.
  bool has_local() const { return !local_.empty(); }

  /// Owner. Calls wake(id, reasons) for what was sent until now; what `wake` sends itself waits for the next
  /// call. Returns how many.
  template <class Wake>
  std::size_t deliver(Wake&& wake) {
    collect();
    for (const ConnectionId id : batch_) {
      const WakeSet reasons = take(id);
      if (!reasons.empty()) wake(id, reasons);
    }
    return batch_.size();
  }

 private:
  void collect();
  WakeSet take(ConnectionId id);
  bool on_owner_thread() const;

  // constant after construction
  Tickets& tickets_;
  const std::function<void()> ring_;
  // set by bind(); a sender that does not see it yet takes the inbox, which is always right
  std::atomic<std::size_t> owner_{0};
  // the owner's thread only
  std::vector<ConnectionId> local_;
  std::vector<ConnectionId> batch_;
  // guarded by mutex_
  std::mutex mutex_;
  std::vector<ConnectionId> inbox_;
};

}  // namespace h2park::server
