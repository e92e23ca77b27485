#include "server/worker.hpp"

#include "base/frame_memory.hpp"
#include "server/connection.hpp"
#include "server/sample_connections.hpp"
#include "tls/server_context.hpp"
#include "tls/slot_routing.hpp"

#include <unistd.h>

namespace h2park::server {
namespace {

// What a client sends at once on a busy connection fits in one read; more would only cost cache.
constexpr std::size_t kReadBufferBytes = 64 * 1024;

// The answers to what one read brings, or one full DATA frame: larger pieces are sent without copying. What
// the transport refuses of it becomes a stalled connection's memory.
constexpr std::size_t kGatherBufferBytes = 16 * 1024;

}  // namespace

Worker::Worker(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot,
               TimeSource& time, std::function<void()> ring, freezer::Slots* slots)
    : options_(options),
      share_(share),
      tickets_(options.max_connections),
      gate_(tickets_, std::move(ring)),
      lot_(std::move(lot)),
      deadlines_(tickets_, time.now()),
      freezing_(options.parking, tickets_, deadlines_, time, counters_, slots),
      http2_sessions_(options.session),
      read_buffer_(kReadBufferBytes),
      gather_buffer_(kGatherBufferBytes),
      context_{options,      lot_,           gate_,           deadlines_, counters_,
               read_buffer_, gather_buffer_, http2_sessions_, time,       &handler},
      dormancy_(context_, tickets_, freezing_),
      memory_sample_(tickets_, freezing_, counters_) {}

Worker::~Worker() {
  std::vector<ConnectionId> left;
  tickets_.for_each([&](ConnectionId id, Ticket&) { left.push_back(id); });
  for (const ConnectionId id : left) {
    Ticket& ticket = tickets_[id.index];
    if (freezing_.frozen(ticket) && !freezing_.thaw(ticket)) {
      bury(id);
    } else {
      retire(*ticket.connection);
    }
  }
}

std::optional<ConnectionId> Worker::adopt(net::UniqueFd socket, tls::ServerContext* tls) {
  thread_.check();
  if (share_.open_connections.fetch_add(1, std::memory_order_relaxed) >= options_.max_connections ||
      socket.get() >= static_cast<int>(Ticket::kMostDescriptor)) {
    return refuse();
  }
  const std::uint64_t number = share_.next_number.fetch_add(1, std::memory_order_relaxed);
  const ConnectionId id = tickets_.take();
  Ticket& ticket = tickets_[id.index];
  ticket.descriptor = static_cast<std::uint32_t>(socket.get()) & Ticket::kMostDescriptor;
  Connection* connection = make_connection(std::move(socket), tls, number);
  if (connection == nullptr) {
    tickets_.give_back(id);
    return refuse();
  }
  ticket.connection = connection;
  context_.wake.readable_since = context_.time.now();
  heap_trim_.grown_to(tickets_.size());
  counters_.accepted.add();
  counters_.open.add();
  if (tls != nullptr) counters_.tls.add();
  if (!connection->open(id)) {
    retire(*connection);
    return std::nullopt;
  }
  // Most clients send at once; the first turn looks.
  wake(id, WakeReason::kReadable);
  return id;
}

// Requires: the connection was counted as open.
std::nullopt_t Worker::refuse() {
  share_.open_connections.fetch_sub(1, std::memory_order_relaxed);
  counters_.refused.add();
  counters_.closed[static_cast<std::size_t>(http::CloseReason::kRefused)].add();
  return std::nullopt;
}

// Null: no memory, TLS's own included.
Connection* Worker::make_connection(net::UniqueFd socket, tls::ServerContext* tls, std::uint64_t number) {
  // What OpenSSL has on the heap would not be packed: such a connection is parked only.
  const bool packs = tls == nullptr || tls::allocations_are_routed();
  std::pmr::memory_resource* memory = packs ? freezing_.take_memory() : freezing_.heap();
  try {
    return std::pmr::polymorphic_allocator<>(memory).new_object<Connection>(context_, memory,
                                                                            std::move(socket), tls, number);
  } catch (const std::bad_alloc&) {
    freezing_.give_back_memory(memory);
    return nullptr;
  }
}

bool Worker::turn() {
  thread_.check();
  const std::size_t events = lot_.drain([this](ConnectionId id, std::uint32_t bits) {
    // Errors and hang-ups are found by reading.
    if ((bits & ~std::uint32_t{Lot::kOutput}) != 0) gate_.send(id, WakeReason::kReadable);
    if ((bits & Lot::kOutput) != 0) gate_.send(id, WakeReason::kWrite);
  });
  if (events != 0) context_.wake.readable_since = context_.time.now();
  deadlines_.fire(context_.time.now(),
                  [this](std::uint32_t index) { gate_.send(tickets_.id_of(index), WakeReason::kTimer); });
  gate_.deliver([this](ConnectionId id, WakeSet reasons) { wake(id, reasons); });
  freezing_.freeze_some();
  freezing_.end_turn();
  publish();
  return events == Lot::kBatch || gate_.has_local() || next_deadline() <= context_.time.now();
}

void Worker::wake(ConnectionId id, WakeSet reasons) {
  switch (dormancy_.wake(id, reasons)) {
    case Dormancy::Woken::kGone:
      break;
    case Dormancy::Woken::kLost:
      bury(id);
      break;
    case Dormancy::Woken::kHere:
      if (Connection& connection = *tickets_[id.index].connection; connection.over()) {
        retire(connection);
      } else if (connection.descriptor() < 0) {
        // Closed, while a handler still runs: the number is another's from now on.
        tickets_[id.index].descriptor = Ticket::kMostDescriptor;
      }
      break;
    case Dormancy::Woken::kBriefly:
      if (Connection& connection = *tickets_[id.index].connection; connection.over()) {
        retire(connection);
      } else {
        freezing_.freeze_again(tickets_[id.index]);
      }
      break;
  }
}

void Worker::retire(Connection& connection) {
  const ConnectionId id = connection.id();
  const http::CloseReason reason = connection.close_reason();
  const bool secure = connection.secure();
  std::pmr::memory_resource* memory = connection.memory();
  if (tickets_[id.index].parked) freezing_.woken(id.index);
  std::pmr::polymorphic_allocator<>(memory).delete_object(&connection);
  freezing_.give_back_memory(memory);
  forget(id, reason, secure);
}

// A connection whose image could not be thawed. What it had on the heap is lost with it, as are its handlers.
void Worker::bury(ConnectionId id) {
  const Account account = freezing_.account_of(id.index);
  if (account.http1 != 0) counters_.h1.subtract();
  if (account.http2 != 0) counters_.h2.subtract();
  if (account.streams == 0) counters_.idle.subtract();
  counters_.streams_open.subtract(account.streams);
  counters_.in_flight.subtract(account.streams);
  counters_.tasks_live[static_cast<std::size_t>(stats::TaskKind::kHandler)].subtract(account.streams);
  close(static_cast<int>(tickets_[id.index].descriptor));
  forget(id, http::CloseReason::kError, account.secure != 0);
}

void Worker::forget(ConnectionId id, http::CloseReason reason, bool secure) {
  if (secure) counters_.tls.subtract();
  counters_.open.subtract();
  counters_.closed[static_cast<std::size_t>(reason)].add();
  deadlines_.remove(id.index);
  tickets_.give_back(id);
  heap_trim_.shrunk_to(tickets_.size());
  share_.open_connections.fetch_sub(1, std::memory_order_relaxed);
}

void Worker::stop(StopPhase phase) {
  thread_.check();
  context_.stop = phase;
  tickets_.for_each([this](ConnectionId id, Ticket&) { gate_.send(id, WakeReason::kShutdown); });
}

bool Worker::sample_memory() {
  thread_.check();
  return memory_sample_.step();
}

stats::ThreadDepths Worker::depths(std::size_t end) {
  thread_.check();
  stats::ThreadDepths out{.taken = coarse(context_.time.now())};
  out.places.reserve(std::min(tickets_.size(), end));
  const ShortTime now = deadlines_.times().of_past(context_.time.now());
  std::size_t seen = 0;
  tickets_.for_each(
      [&](ConnectionId id, const Ticket& ticket) {
        ++seen;
        if (out.places.size() < id.index) out.places.resize(id.index);  // free places
        stats::Place& place = out.places.emplace_back(freezing_.depth_of(ticket));
        if (ticket.parked) place.rested = decltype(place.rested)(now.since(ticket.rest_since));
      },
      end);
  out.left_out = tickets_.size() - seen;
  return out;
}

Result<> Worker::learn_dictionary(tls::ServerContext* tls) {
  if (!freezing_.enabled()) return {};
  const std::uint64_t number = share_.next_number.load(std::memory_order_relaxed);
  auto learnt = learn(nullptr);
  if (learnt && tls != nullptr && tls::allocations_are_routed()) learnt = learn(tls);
  std::destroy_at(&counters_);
  std::construct_at(&counters_);
  share_.next_number.store(number, std::memory_order_relaxed);
  return learnt;
}

Result<> Worker::learn(tls::ServerContext* tls) { return SampleConnections(*this, context_, tls).teach(); }

void Worker::publish() { counters_.frame_bytes.set(live_frame_bytes()); }

}  // namespace h2park::server
