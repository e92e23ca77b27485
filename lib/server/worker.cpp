#include "server/worker.hpp"

#include "base/frame_memory.hpp"
#include "server/connection.hpp"
#include "stats/socket_memory.hpp"
#include "tls/server_context.hpp"

namespace h2park::server {
namespace {

// What a client sends at once on a busy connection fits in one read; more would only cost cache.
constexpr std::size_t kReadBufferBytes = 64 * 1024;

// The answers to what one read brings, or one full DATA frame: larger pieces are sent without copying. What
// the transport refuses of it becomes a stalled connection's memory.
constexpr std::size_t kGatherBufferBytes = 16 * 1024;

// A turn looks at the lot this often before it lets the thread's other work (accepting, timers) have its
// time.
constexpr int kDrainsPerTurn = 8;

}  // namespace

Worker::Worker(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot,
               TimeSource& time, std::function<void()> ring)
    : options_(options),
      share_(share),
      tickets_(options.max_connections),
      gate_(tickets_, std::move(ring)),
      lot_(std::move(lot)),
      deadlines_(tickets_),
      http2_sessions_(options.session),
      read_buffer_(kReadBufferBytes),
      gather_buffer_(kGatherBufferBytes),
      context_{options,   handler,      lot_,           gate_,           deadlines_,
               counters_, read_buffer_, gather_buffer_, http2_sessions_, time},
      dormancy_(context_, tickets_) {}

Worker::~Worker() {
  std::vector<Connection*> left;
  tickets_.for_each([&](ConnectionId, Ticket& ticket) { left.push_back(ticket.connection); });
  for (Connection* connection : left) retire(*connection);
}

std::optional<ConnectionId> Worker::adopt(net::UniqueFd socket, tls::ServerContext* tls) {
  if (share_.open_connections.fetch_add(1, std::memory_order_relaxed) >= options_.max_connections) {
    share_.open_connections.fetch_sub(1, std::memory_order_relaxed);
    counters_.refused.add();
    counters_.closed[static_cast<std::size_t>(http::CloseReason::kRefused)].add();
    return std::nullopt;
  }
  const std::uint64_t number = share_.next_number.fetch_add(1, std::memory_order_relaxed);
  const ConnectionId id = tickets_.take();
  Ticket& ticket = tickets_[id.index];
  ticket.descriptor = socket.get();
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();
  Connection* connection = std::pmr::polymorphic_allocator<>(memory).new_object<Connection>(
      context_, memory, std::move(socket), tls, number);
  ticket.connection = connection;
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

bool Worker::turn() {
  std::size_t events = 0;
  for (int i = 0; i < kDrainsPerTurn; ++i) {
    events = lot_.drain([this](ConnectionId id, std::uint32_t bits) {
      // Errors and hang-ups are found by reading.
      if ((bits & ~std::uint32_t{Lot::kOutput}) != 0) gate_.send(id, WakeReason::kReadable);
      if ((bits & Lot::kOutput) != 0) gate_.send(id, WakeReason::kWrite);
    });
    deadlines_.fire(context_.time.now(),
                    [this](std::uint32_t index) { gate_.send(tickets_.id_of(index), WakeReason::kTimer); });
    const std::size_t woken = gate_.deliver([this](ConnectionId id, WakeSet reasons) { wake(id, reasons); });
    if (events == 0 && woken == 0) break;
  }
  publish();
  return events != 0 || gate_.has_local();
}

void Worker::wake(ConnectionId id, WakeSet reasons) {
  Connection* connection = dormancy_.wake(id, reasons);
  if (connection != nullptr && connection->over()) retire(*connection);
}

void Worker::retire(Connection& connection) {
  const ConnectionId id = connection.id();
  if (connection.parked) counters_.parked.subtract();
  if (connection.secure()) counters_.tls.subtract();
  counters_.open.subtract();
  counters_.closed[static_cast<std::size_t>(connection.close_reason())].add();
  deadlines_.remove(id.index);
  std::pmr::polymorphic_allocator<>(connection.memory()).delete_object(&connection);
  tickets_.give_back(id);
  heap_trim_.shrunk_to(tickets_.size());
  share_.open_connections.fetch_sub(1, std::memory_order_relaxed);
}

void Worker::stop(StopPhase phase) {
  context_.stop = phase;
  tickets_.for_each([this](ConnectionId id, Ticket&) { gate_.send(id, WakeReason::kShutdown); });
}

void Worker::sample_socket_memory() {
  std::uint64_t bytes = 0;
  tickets_.for_each([&](ConnectionId, Ticket& ticket) {
    bytes += stats::socket_queued_bytes(ticket.descriptor).value_or(0);
  });
  counters_.socket_kernel_bytes.set(bytes);
}

void Worker::publish() { counters_.frame_bytes.set(live_frame_bytes()); }

}  // namespace h2park::server
