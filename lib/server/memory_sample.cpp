#include "server/memory_sample.hpp"

#include "server/connection.hpp"
#include "server/freezing.hpp"
#include "stats/socket_memory.hpp"

#include <algorithm>

namespace h2park::server {
namespace {

constexpr std::size_t kPageBytes = 4096;

}  // namespace

bool MemorySample::step() {
  const std::uint32_t end = std::min(next_ + kMostTickets, tickets_.made());
  for (int sockets = 0; next_ < end && sockets < kMostSockets; ++next_) {
    Ticket& ticket = tickets_[next_];
    if (ticket.connection == nullptr) continue;
    if (add_socket(next_, ticket)) ++sockets;
    add_pages(ticket);
  }
  if (next_ < tickets_.made()) return false;
  counters_.socket_kernel_bytes.set(sums_.queued);
  counters_.slot_bytes.set(sums_.resident);
  counters_.dormant_slot_bytes.set(sums_.dormant);
  sums_ = {};
  next_ = 0;
  return true;
}

bool MemorySample::add_socket(std::uint32_t index, Ticket& ticket) {
  if (ticket.quiet || ticket.descriptor == Ticket::kMostDescriptor) return false;
  const auto queued = stats::socket_queued_bytes(static_cast<int>(ticket.descriptor)).value_or(0);
  sums_.queued += queued;
  ticket.quiet = queued == 0 && hears_its_client(index, ticket);
  return true;
}

// In HTTP/1 nobody listens to a client that waits for an answer: what it sends meanwhile stays in the kernel
// and wakes nobody.
bool MemorySample::hears_its_client(std::uint32_t index, const Ticket& ticket) const {
  const Account account =
      freezing_.frozen(ticket) ? freezing_.account_of(index) : ticket.connection->account();
  return account.http1 == 0 || account.streams == 0;
}

void MemorySample::add_pages(const Ticket& ticket) {
  if (freezing_.frozen(ticket)) return;  // no page, and nothing to look at
  const freezer::SlotHeap* slot = freezing_.slot_of(ticket);
  if (slot == nullptr) return;
  const std::size_t pages = (slot->touched_bytes() + kPageBytes - 1) / kPageBytes * kPageBytes;
  sums_.resident += pages;
  if (ticket.parked) sums_.dormant += pages;
}

}  // namespace h2park::server
