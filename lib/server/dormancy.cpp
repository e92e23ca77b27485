#include "server/dormancy.hpp"

#include "server/connection.hpp"
#include "server/freezing.hpp"
#include "server/gate.hpp"

namespace h2park::server {
namespace {

// What a connection is woken for without its peer.
constexpr WakeSet kOwnBusiness{WakeSet(WakeReason::kTimer).bits() | WakeSet(WakeReason::kHandler).bits()};

constexpr auto kServe = static_cast<std::size_t>(stats::TaskKind::kServe);

}  // namespace

Dormancy::Woken Dormancy::wake(ConnectionId id, WakeSet reasons) {
  Ticket* ticket = tickets_.find(id);
  if (ticket == nullptr) return Woken::kGone;
  const bool was_frozen = freezing_.frozen(*ticket);
  context_.wake.depth = freezing_.depth_of(*ticket);
  ticket->quiet = false;
  context_.wake.handler_awaited = reasons.has(WakeReason::kReadable);
  if (was_frozen && !freezing_.thaw(*ticket)) return Woken::kLost;
  if (ticket->parked) count_wake(id, reasons);
  run(*ticket->connection, reasons);
  context_.wake.handler_awaited = false;
  return was_frozen && (reasons.bits() & ~kOwnBusiness.bits()) == 0 ? Woken::kBriefly : Woken::kHere;
}

void Dormancy::run(Connection& connection, WakeSet reasons) {
  if (connection.serve_task) {
    connection.notify(reasons);
  } else {
    context_.counters.tasks_created.add();
    context_.counters.tasks_live[kServe].add();
    connection.notify(reasons);  // nobody waits yet: the loop finds the reasons when it starts
    connection.serve_task = connection.serve();
  }
  if (connection.serve_task.done()) {
    serve_ended(connection);
  } else if (observer_ != nullptr) {
    ParkFacts facts = connection.park_facts();
    const bool refused = std::exchange(facts.send_registered, false) && can_park(facts);
    if (refused) observer_->park_refused(connection.id(), context_.gate.registered(connection.id()));
  }
}

void Dormancy::count_wake(ConnectionId id, WakeSet reasons) {
  freezing_.woken(id.index);
  context_.counters.wakes[static_cast<std::size_t>(reasons.first())].add();
  if (observer_ != nullptr) observer_->revived(id, reasons);
}

void Dormancy::serve_ended(Connection& connection) {
  connection.serve_task = {};
  context_.counters.tasks_live[kServe].subtract();
  if (connection.phase() == Connection::Phase::kClosed) return;
  freezing_.parked(connection.id().index, connection.pinned());
  context_.counters.parks.add();
  if (observer_ != nullptr) observer_->parked(connection.id());
}

}  // namespace h2park::server
