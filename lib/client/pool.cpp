#include "client/pool.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace h2park::client {
namespace {

// Enough for a full socket buffer at a time; one per client.
constexpr std::size_t kReadBufferBytes = 64 * 1024;

Failure timed_out(std::string_view what, Duration after) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(after).count();
  return {FailureKind::kTimeout, fmt::format("{} timed out after {} milliseconds", what, ms)};
}

}  // namespace

Pool::Pool(net::Reactor& reactor, Dialer& dialer, const Options& options)
    : reactor_(reactor),
      dialer_(dialer),
      options_(options),
      read_buffer_(kReadBufferBytes),
      shared_{reactor, *this, options, read_buffer_},
      closed_(std::make_shared<std::vector<std::unique_ptr<Connection>>>()) {}

Pool::~Pool() { close_all(); }

std::optional<Lease> Pool::take_idle(const Want& want) {
  PoolGroup& from = groups_[want.origin];
  while (!from.idle.empty()) {
    Connection& connection = from.idle.front();
    // One that turns out to be dead has closed itself, and so left the list.
    if (connection.is_quiet()) {
      connection.take(want.traits);
      return Lease(connection);
    }
  }
  return std::nullopt;
}

Pool::Waiting Pool::wait_for(const Want& want) {
  PoolGroup& at = groups_[want.origin];
  auto waiter = std::make_shared<PoolWaiter>(at, want.traits, want.fresh);
  at.waiters.push_back(waiter);
  if (want.deadline != kNever) {
    const TimePoint begin = reactor_.time().now();
    waiter->timer.emplace(reactor_.timers(), [this, late = std::weak_ptr(waiter), begin] {
      fail(late, timed_out("Operation", reactor_.time().now() - begin));
    });
    waiter->timer->set(want.deadline);
  }
  if (!adopt_dial(at, waiter)) dial(at, want.origin, waiter);
  return {*this, std::move(waiter)};
}

// A dial whose request has been served otherwise is as good as a new one, and further on its way.
bool Pool::adopt_dial(const PoolGroup& at, const std::shared_ptr<PoolWaiter>& waiter) {
  if (at.dials < at.waiters.size()) return false;  // each of the others has its own
  const auto spare = std::ranges::find_if(dials_, [&](const PoolDial& dial) {
    const auto asker = dial.asker.lock();
    return dial.group == &at && (!asker || asker->is_answered());
  });
  if (spare == dials_.end()) return false;
  spare->asker = waiter;
  return true;
}

void Pool::dial(PoolGroup& at, const Origin& origin, const std::shared_ptr<PoolWaiter>& asker) {
  ++counts_.dialling;
  ++at.dials;
  const MissReason why = at.begin_dial(asker->fresh);
  const auto place = dials_.emplace(dials_.begin());
  place->connection = std::make_unique<Connection>(shared_, why);
  place->group = &at;
  place->asker = asker;
  const TimePoint begin = reactor_.time().now();
  if (options_.connect_timeout < kNever - begin) {
    place->timer.emplace(reactor_.timers(), [this, place] {
      on_dialled(place, std::unexpected(timed_out("Connection", options_.connect_timeout)));
    });
    place->timer->set(begin + options_.connect_timeout);
  }
  // It may be connected, and gone from the list, before this returns.
  const auto over = std::make_shared<bool>(false);
  auto handle = dialer_.dial(origin, [this, place, over](std::expected<Dialled, Failure> result) {
    *over = true;
    on_dialled(place, std::move(result));
  });
  if (!*over) place->handle = std::move(handle);
}

void Pool::on_dialled(Dials::iterator place, std::expected<Dialled, Failure> result) {
  Dials over;
  over.splice(over.begin(), dials_, place);
  PoolDial& dial = over.front();
  --counts_.dialling;
  --dial.group->dials;
  // Not given up here: it may be what called us.
  reactor_.post([handle = std::move(dial.handle)] {});
  if (!result) return fail(dial.asker, std::move(result.error()));
  if (const auto asker = dial.asker.lock()) dial.group->prefer(*asker);
  Connection& connection = *dial.connection;
  connection.group = dial.group;
  connections_.emplace(&connection, std::move(dial.connection));
  connection.opened(++counts_.opened, std::move(*result));
}

void Pool::fail(const std::weak_ptr<PoolWaiter>& asker, Failure failure) {
  const auto waiter = asker.lock();
  if (!waiter || !waiter->group.remove(*waiter)) return;
  waiter->failure = std::move(failure);
  answer(waiter);
}

// In a later turn: whoever brings the answer may be in the middle of something.
void Pool::answer(const std::shared_ptr<PoolWaiter>& waiter) {
  waiter->timer.reset();
  if (!waiter->waiting) return;
  reactor_.post([waiter] {
    if (waiter->waiting) std::exchange(waiter->waiting, {}).resume();
  });
}

void Pool::on_state(Connection& connection, ConnectionState from, ConnectionState to) {
  using enum ConnectionState;
  if (from == kIdle) --counts_.idle;
  if (from == kBusy) --counts_.busy;
  if (from == kDraining) --counts_.draining, --connection.group->draining;
  if (to == kIdle) ++counts_.idle;
  if (to == kBusy) ++counts_.busy, ++counts_.requests;
  if (to == kDraining) ++counts_.draining, ++connection.group->draining;

  if (from == kIdle) {
    connection.group_hook.unlink();
    connection.age_hook.unlink();
  }
  if (to == kBusy && connection.requests() > 1) ++counts_.reused;
  if (to == kIdle) on_idle(connection);
  if (to == kClosed) on_closed(connection);
  if (from == kDraining && counts_.draining == 0 && on_drained_) reactor_.post(std::move(on_drained_));
}

void Pool::on_idle(Connection& connection) {
  connection.group->idle.push_front(connection);
  idle_.push_back(connection);
  if (const auto waiter = connection.group->next_waiter(connection)) {
    // A dialled one is used whatever it says: if it is closed already, that is the answer to its request.
    if (connection.requests() == 0 || connection.is_quiet()) {
      connection.take(waiter->traits);
      waiter->given = &connection;
      return answer(waiter);
    }
    connection.group->waiters.push_front(waiter);  // it has a dial of its own
    return;
  }
  while (counts_.idle > options_.pool.max_idle) idle_.front().close(CloseReason::kMaxIdle);
}

void Pool::on_closed(Connection& connection) {
  ++counts_.closed[static_cast<std::size_t>(connection.close_reason())];
  connection.group->note_closed(connection.close_reason());
  auto node = connections_.extract(&connection);
  if (closed_->empty()) {
    reactor_.post([closed = closed_] { closed->clear(); });
  }
  closed_->push_back(std::move(node.mapped()));
}

void Pool::when_drained(std::move_only_function<void()> done) {
  if (counts_.draining == 0) return done();
  on_drained_ = std::move(done);
}

void Pool::cut_drains() {
  std::vector<Connection*> draining;
  for (const auto& entry : connections_) {
    if (entry.second->state() == ConnectionState::kDraining) draining.push_back(entry.second.get());
  }
  for (Connection* connection : draining) connection->cut_drain();
}

void Pool::close_all() {
  counts_.dialling = 0;
  dials_.clear();
  while (!connections_.empty()) connections_.begin()->first->close(CloseReason::kDone);
}

Pool::Waiting::~Waiting() {
  if (!waiter_) return;
  waiter_->waiting = {};
  waiter_->timer.reset();
  waiter_->group.remove(*waiter_);
  // Given, but the request does not want it any more.
  if (waiter_->given != nullptr) waiter_->given->close(CloseReason::kDone);
}

bool Pool::Waiting::await_ready() const noexcept { return waiter_->is_answered(); }

void Pool::Waiting::await_suspend(std::coroutine_handle<> waiting) noexcept { waiter_->waiting = waiting; }

std::expected<Lease, Failure> Pool::Waiting::await_resume() {
  const auto waiter = std::exchange(waiter_, nullptr);
  if (waiter->failure) return std::unexpected(std::move(*waiter->failure));
  return Lease(*waiter->given);
}

}  // namespace h2park::client
