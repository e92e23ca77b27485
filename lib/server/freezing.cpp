#include "server/freezing.hpp"

#include "base/log.hpp"
#include "server/connection.hpp"
#include "tls/cipher_filter.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::server {
namespace {

// Past this a connection that is poked again and again costs nothing worth saving.
constexpr std::uint32_t kLongestDelayMs = 60'000;

// Null where no TLS connection has a slot.
std::unique_ptr<freezer::BlockFilter> cipher_filter() {
  if (!tls::allocations_are_routed()) return nullptr;
  return std::make_unique<tls::CipherFilter>();
}

}  // namespace

Freezing::Freezing(const ParkingOptions& options, Tickets& tickets, Deadlines& deadlines, TimeSource& time,
                   stats::ThreadCounters& counters, freezer::Slots* slots)
    : options_(options),
      tickets_(tickets),
      deadlines_(deadlines),
      time_(time),
      counters_(counters),
      slots_(slots),
      schedule_(options.freeze_after.value_or(Duration::zero()), time.now()) {}

Result<> Freezing::use(Kind kind, freezer::Dictionary::Ref dictionary) {
  if (!packer_) {
    auto packer = freezer::Packer::make(dictionary, cipher_filter());
    if (!packer) return std::unexpected(packer.error());
    packer_.emplace(std::move(*packer));
  }
  dictionaries_[static_cast<std::size_t>(kind)] = std::move(dictionary);
  return {};
}

Result<freezer::Dictionary::Ref> Freezing::build_dictionary(
    Kind kind, std::span<freezer::SlotHeap* const> samples) const {
  using freezer::Dictionary;
  const auto filter = cipher_filter();
  return Dictionary::build(samples, Dictionary::kOwnParameters, filter.get(),
                           kind == Kind::kPlain ? Dictionary::Shapes::kLearnt : Dictionary::Shapes::kNone);
}

const freezer::Dictionary::Ref& Freezing::dictionary_of(const Ticket& ticket) const {
  return dictionaries_[static_cast<std::size_t>(ticket.connection->secure() ? Kind::kTls : Kind::kPlain)];
}

std::pmr::memory_resource* Freezing::take_memory() {
  if (slots_ != nullptr) {
    if (freezer::SlotHeap* slot = slots_->take()) return slot;
  }
  return &heap_;
}

void Freezing::give_back_memory(std::pmr::memory_resource* memory) {
  if (slots_ == nullptr || !slots_->contains(memory)) return;
  const std::size_t left = slots_->give_back(static_cast<freezer::SlotHeap&>(*memory));
  if (left == 0) return;
  counters_.quarantined_slots.add();
  log::error(fmt::format("a closed connection left {} blocks: its slot is not used again", left));
}

freezer::SlotHeap* Freezing::slot_of(const Ticket& ticket) const {
  const void* connection = ticket.connection;
  return slots_ != nullptr && slots_->contains(connection) ? freezer::SlotHeap::of(connection) : nullptr;
}

std::uint32_t Freezing::delay_ms(const Ticket& ticket) const {
  // Further away than ShortTimes::kMost a worker's times cannot be told apart.
  const auto first = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::min<Duration>(*options_.freeze_after, ShortTimes::kMost))
                         .count();
  const std::uint64_t delay = static_cast<std::uint64_t>(first) << ticket.patience;
  // A delay that was asked for is never shortened.
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(delay, std::max<std::uint64_t>(first, kLongestDelayMs)));
}

void Freezing::parked(std::uint32_t index, bool pinned) {
  Ticket& ticket = tickets_[index];
  ticket.parked = true;
  counters_.parked.add();
  ticket.pinned = pinned;
  ticket.rest_since = now();
  if (pinned || !packs(ticket)) return;
  if (!ticket.scheduled) look_at(index, ticket.rest_since + delay_ms(ticket));
}

// Whether what it needs is there.
bool Freezing::packs(const Ticket& ticket) const {
  return enabled() && packer_ && slot_of(ticket) != nullptr && dictionary_of(ticket);
}

void Freezing::look_at(std::uint32_t index, ShortTime when) {
  const TimePoint now = time_.now();
  try {
    schedule_.add(index, deadlines_.times().widen(when, now), now);
    tickets_[index].scheduled = true;
  } catch (const std::bad_alloc&) {
    // It stays parked this time.
  }
}

void Freezing::woken(std::uint32_t index) {
  Ticket& ticket = tickets_[index];
  ticket.parked = false;
  counters_.parked.subtract();
}

void Freezing::freeze_some() {
  const ShortTime here = now();
  for (int looks = kMostLooks, left = kBatch; looks > 0 && left > 0; --looks) {
    const std::optional<std::uint32_t> index = schedule_.take(time_.now());
    if (!index) return;
    Ticket& ticket = tickets_[*index];
    ticket.scheduled = false;
    if (!ticket.parked || ticket.pinned || frozen(ticket) || !packs(ticket)) continue;
    const ShortTime due = ticket.rest_since + delay_ms(ticket);
    if (here.before(due)) {  // it was awake meanwhile
      look_at(*index, due);
      continue;
    }
    freeze(ticket);
    --left;
  }
}

void Freezing::end_turn() {
  if (packer_) packer_->give_pages_back();
}

void Freezing::freeze_again(Ticket& ticket) {
  if (!ticket.parked || ticket.pinned || !dictionary_of(ticket)) return;
  if (ticket.has_due && ticket.due.before(now() + delay_ms(ticket))) return;
  freeze(ticket);
}

bool Freezing::make_room_for_account(std::uint32_t index) try {
  if (index >= accounts_.size()) accounts_.resize(index + 1);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Freezing::freeze(Ticket& ticket) {
  const Connection& connection = *ticket.connection;
  const std::uint32_t index = connection.id().index;
  if (!make_room_for_account(index)) return;
  accounts_[index] = connection.account();
  packer_->use(dictionary_of(ticket));
  freezer::Image image = packer_->pack(*slot_of(ticket));
  if (!image) return;  // no memory for it: it stays parked, and is tried again when it parks the next time
  ticket.image = std::move(image);
  ticket.rest_since = now();
  counters_.parked.subtract();
  counters_.frozen.add();
  counters_.freezes.add();
  counters_.frozen_bytes.add(ticket.image.stored_bytes());
}

bool Freezing::thaw(Ticket& ticket) {
  counters_.frozen.subtract();
  counters_.frozen_bytes.subtract(ticket.image.stored_bytes());
  void* slot = slots_->address(slots_->index_of(*freezer::SlotHeap::of(ticket.connection)));
  const auto thawed = packer_->unpack(ticket.image, slot);
  if (!thawed) {
    log::error(fmt::format("a frozen connection is lost: {}", to_string(thawed.error())));
    ticket.image.reset();
    slots_->give_back_frozen(slots_->index_of(*freezer::SlotHeap::of(ticket.connection)));
    return false;
  }
  counters_.thaws.add();
  counters_.parked.add();
  // Poked before the freeze had lasted as long as its delay: it was not worth it.
  const bool too_soon = now().since(ticket.rest_since) < delay_ms(ticket);
  if (!too_soon) {
    ticket.patience = 0;
  } else if (delay_ms(ticket) < kLongestDelayMs) {
    ++ticket.patience;
  }
  return true;
}

}  // namespace h2park::server
