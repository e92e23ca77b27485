#include "cmd/get_summary.hpp"

#include <algorithm>
#include <numeric>

namespace h2park::cmd {

std::uint64_t Summary::failures() const {
  return std::accumulate(errors_.begin(), errors_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& error) { return sum + error.second; });
}

void Summary::add(const Outcome& outcome) {
  const client::Record& record = outcome.record;
  ++requests_;
  bytes_ += record.body_bytes;
  ++statuses_[std::min<std::size_t>(record.status / 100, statuses_.size() - 1)];
  if (outcome.fault) {
    const auto found = errors_.find(outcome.fault->cause);
    if (found != errors_.end()) {
      ++found->second;
    } else {
      errors_.emplace(outcome.fault->cause, 1);
    }
    return;
  }
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    const Duration length = length_of(phase, record.timings);
    // What did not happen is not a phase of no length: a pool's averages would say nothing.
    const bool dialling = phase == Phase::kDns || phase == Phase::kConnect || phase == Phase::kTls;
    if (!dialling || length > Duration::zero()) phases_[i].add(length);
  }
  latency_.add(std::max(record.timings.end - outcome.due, Duration::zero()));
}

}  // namespace h2park::cmd
