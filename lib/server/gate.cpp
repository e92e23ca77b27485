#include "server/gate.hpp"

#include <thread>

namespace h2park::server {
namespace {

// The address of a thread-local is the cheapest name a thread has.
std::size_t this_thread() {
  static thread_local char name;
  return reinterpret_cast<std::size_t>(&name);
}

constexpr std::uint32_t pending_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t generation_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

Gate::Gate(Tickets& tickets, std::function<void()> ring) : tickets_(tickets), ring_(std::move(ring)) {}

void Gate::bind() { owner_.store(this_thread(), std::memory_order_relaxed); }

bool Gate::on_owner_thread() const { return owner_.load(std::memory_order_relaxed) == this_thread(); }

bool Gate::send(ConnectionId id, WakeReason reason) {
  std::atomic<std::uint64_t>* word = tickets_.word_of(id.index);
  if (word == nullptr) return false;
  std::uint64_t before = word->load(std::memory_order_relaxed);
  do {
    if (generation_of(before) != id.generation) return false;
  } while (!word->compare_exchange_weak(before, before | WakeSet(reason).bits(), std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
  if (pending_of(before) != 0) return true;  // somebody else's id is on its way and carries this bit too
  if (on_owner_thread()) {
    local_.push_back(id);
    return true;
  }
  bool first;
  {
    const std::lock_guard lock(mutex_);
    first = inbox_.empty();
    inbox_.push_back(id);
  }
  if (first) ring_();
  return true;
}

WakeSet Gate::registered(ConnectionId id) const {
  return WakeSet(pending_of(tickets_[id.index].word.load(std::memory_order_acquire)));
}

void Gate::collect() {
  batch_.clear();
  batch_.swap(local_);
  const std::lock_guard lock(mutex_);
  batch_.insert(batch_.end(), inbox_.begin(), inbox_.end());
  inbox_.clear();
}

WakeSet Gate::take(ConnectionId id) {
  std::atomic<std::uint64_t>& word = tickets_[id.index].word;
  std::uint64_t before = word.load(std::memory_order_relaxed);
  do {
    if (generation_of(before) != id.generation) return {};
  } while (!word.compare_exchange_weak(before, before & ~std::uint64_t{0xffffffffU},
                                       std::memory_order_acq_rel, std::memory_order_relaxed));
  return WakeSet(pending_of(before));
}

}  // namespace h2park::server
