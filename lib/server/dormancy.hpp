// Dormancy: parking and waking of a worker's connections. wake() is the only function that brings one back.
//
// A connection may be parked when can_park() holds at the end of its turn. Its serve coroutine then returns;
// its state stays in the Connection object. Why no wake-up is lost, sender by sender:
//
//   readable   The lot is level-triggered and keeps watching: bytes that arrived before, during or after
//              parking are announced at the next drain. Decrypted bytes inside TLS are not: a turn that
//              leaves some although it wants them sends itself a wake-up (settle()), and input_unprocessed
//              forbids to park on them.
//   write      Output that the transport refused keeps the connection active (output_queued), so that the
//              end of an asynchronous write always finds a serve loop.
//   handler    A handler runs in a turn, or its writes, flushes and ends go to poke(): a registered send.
//   body       A handler's reads likewise. DATA that waits for the peer's window may stay queued: only a
//              WINDOW_UPDATE, which is input, can free it.
//   timer      Every deadline stands in the worker's list, under the connection's id, before it parks
//              (settle()).
//   shutdown   The worker's stop phase is set before the sends to all its ids; a turn after that sees
//              `stopping`, a turn before it gets the send.
// A send that is registered while we decide is seen here (send_registered), or else found by the worker in
// the gate after the connection was parked, and revives it: see gate.hpp.
#pragma once

#include "server/connection_context.hpp"
#include "server/connection_id.hpp"
#include "server/tickets.hpp"
#include "server/wake_set.hpp"

namespace h2park::server {

class Connection;
class Freezing;

struct ParkFacts {
  bool enabled = true;             ///< --park
  bool at_rest = false;            ///< nothing owed to the peer, no message half-way, nothing to produce
  bool output_queued = false;      ///< bytes that the transport did not take yet
  bool input_unprocessed = false;  ///< received, not yet looked at
  bool handlers_ready = false;     ///< a handler could go on now
  bool stopping = false;  ///< the server stops: every connection has something to do until it is closed
  bool send_registered = false;    ///< a wake-up is on its way
  bool rested_long_enough = true;  ///< --park-after is over
};

constexpr bool can_park(const ParkFacts& facts) {
  return facts.enabled && facts.at_rest && !facts.output_queued && !facts.input_unprocessed &&
         !facts.handlers_ready && !facts.stopping && !facts.send_registered && facts.rested_long_enough;
}

/// Sees what parking and waking do, for tests that count interleavings. Thread: the worker's.
class DormancyObserver {
 public:
  virtual ~DormancyObserver() = default;
  /// A turn ended with sends registered meanwhile: the connection was not parked because of them.
  virtual void park_refused(ConnectionId id, WakeSet registered) = 0;
  virtual void parked(ConnectionId id) = 0;
  /// A parked connection was revived.
  virtual void revived(ConnectionId id, WakeSet reasons) = 0;
};

/// Thread: the worker's.
class Dormancy {
 public:
  Dormancy(ConnectionContext& context, Tickets& tickets, Freezing& freezing)
      : context_(context), tickets_(tickets), freezing_(freezing) {}

  enum class Woken : std::uint8_t {
    kGone,     ///< the id's generation has passed
    kHere,     ///< it had its turn; it may be closed now
    kBriefly,  ///< likewise, and it was frozen before; its peer had no part in it
    kLost,     ///< its image was damaged: there is a ticket and a socket, but no connection any more
  };
  /// Tells a connection what happened. A frozen one is thawed, a parked one gets a new serve loop first.
  Woken wake(ConnectionId id, WakeSet reasons);

  void observe(DormancyObserver* observer) { observer_ = observer; }

 private:
  void run(Connection& connection, WakeSet reasons);
  void count_wake(ConnectionId id, WakeSet reasons);
  void serve_ended(Connection& connection);

  ConnectionContext& context_;
  Tickets& tickets_;
  Freezing& freezing_;
  DormancyObserver* observer_ = nullptr;
};

}  // namespace h2park::server
