#include "client/pool_group.hpp"

#include <algorithm>

namespace h2park::client {
namespace {

// As many as a large run has connections; older reasons explain nothing any more.
constexpr std::size_t kMaxUnreplaced = 10'000;

}  // namespace

MissReason PoolGroup::begin_dial(bool fresh) {
  using enum MissReason::Kind;
  const bool first = !std::exchange(dialled_before, true);
  CloseReason closed = CloseReason::kNone;
  if (!unreplaced.empty()) {
    closed = unreplaced.back();
    unreplaced.pop_back();
  }
  if (first) return {kFirst, CloseReason::kNone};
  if (fresh) return {kStale, CloseReason::kNone};
  if (closed != CloseReason::kNone) return {kClosed, closed};
  return {draining > 0 ? kDraining : kBusy, CloseReason::kNone};
}

void PoolGroup::note_closed(CloseReason reason) {
  if (unreplaced.size() < kMaxUnreplaced) unreplaced.push_back(reason);
}

std::shared_ptr<PoolWaiter> PoolGroup::next_waiter(const Connection& connection) {
  const auto found = std::ranges::find_if(
      waiters, [&](const auto& waiter) { return !waiter->fresh || connection.requests() == 0; });
  if (found == waiters.end()) return nullptr;
  std::shared_ptr<PoolWaiter> next = std::move(*found);
  waiters.erase(found);
  return next;
}

void PoolGroup::prefer(const PoolWaiter& waiter) {
  const auto found = std::ranges::find(waiters, &waiter, &std::shared_ptr<PoolWaiter>::get);
  if (found != waiters.end()) std::rotate(waiters.begin(), found, std::next(found));
}

bool PoolGroup::remove(const PoolWaiter& waiter) {
  return std::erase_if(waiters, [&](const auto& queued) { return queued.get() == &waiter; }) > 0;
}

}  // namespace h2park::client
