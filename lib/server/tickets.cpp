#include "server/tickets.hpp"

#include <cassert>

namespace h2park::server {
namespace {

std::uint32_t generation_of(const Ticket& ticket) {
  return static_cast<std::uint32_t>(ticket.word.load(std::memory_order_relaxed) >> 32);
}

}  // namespace

Tickets::Tickets(std::size_t most) : most_(most), chunks_((most + kChunk - 1) / kChunk) {}

ConnectionId Tickets::take() {
  assert(used_ < most_);
  std::uint32_t index;
  if (free_ != 0) {
    index = free_ - 1;
    free_ = (*this)[index].next_free;
  } else {
    index = made_++;
    if (index % kChunk == 0) {
      owned_.push_back(std::make_unique<Ticket[]>(kChunk));
      chunks_[chunks_made_++].store(owned_.back().get(), std::memory_order_release);
    }
  }
  ++used_;
  return {index, generation_of((*this)[index])};
}

void Tickets::give_back(ConnectionId id) {
  Ticket& ticket = (*this)[id.index];
  assert(ticket.heap_place == 0 && generation_of(ticket) == id.generation);
  ticket.word.store(std::uint64_t{id.generation + 1} << 32, std::memory_order_release);
  ticket.connection = nullptr;
  ticket.descriptor = Ticket::kMostDescriptor;
  ticket.patience = 0;
  ticket.parked = false;
  ticket.pinned = false;
  ticket.has_due = false;
  ticket.quiet = false;
  ticket.next_free = free_;
  free_ = id.index + 1;
  --used_;
}

ConnectionId Tickets::id_of(std::uint32_t index) const {
  return {index, generation_of(chunk(index)[index % kChunk])};
}

Ticket* Tickets::find(ConnectionId id) {
  if (id.index >= made_) return nullptr;
  Ticket& ticket = (*this)[id.index];
  return ticket.connection != nullptr && generation_of(ticket) == id.generation ? &ticket : nullptr;
}

std::atomic<std::uint64_t>* Tickets::word_of(std::uint32_t index) {
  if (index / kChunk >= chunks_.size()) return nullptr;
  Ticket* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : &chunk[index % kChunk].word;
}

}  // namespace h2park::server
