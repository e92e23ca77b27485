// ReplayPair: the same stream against a worker that freezes at each rest and one that only parks.
#pragma once

#include "support/stream_replay.hpp"

#include <algorithm>
#include <string>

namespace h2park::test {

class ReplayPair {
 public:
  /// For plans with TLS.
  void secure() {
    parked.house.secure({});
    frozen.house.secure({});
  }

  /// Where they differ first, in words; "" if they do not. Both outcomes are kept.
  std::string difference(const StreamReplay::Plan& plan) {
    // One that ended its connection earlier has waited less.
    const TimePoint now = std::max(parked.house.time.now(), frozen.house.time.now());
    for (StreamReplay* each : {&parked, &frozen}) each->house.time.advance(now - each->house.time.now());
    wanted = parked.play(plan);
    got = frozen.play(plan);
    return first_difference(wanted, got);
  }

  /// Slots that were not given back, or never will.
  std::size_t slots_kept() { return frozen.house.slots->taken() + frozen.house.slots->quarantined(); }
  std::uint64_t freezes() { return frozen.house.worker.counters().freezes.get(); }
  std::uint64_t thaws() { return frozen.house.worker.counters().thaws.get(); }

  StreamReplay parked{false};
  StreamReplay frozen{true};
  StreamReplay::Outcome wanted;  ///< from the one that parks
  StreamReplay::Outcome got;     ///< from the one that freezes
};

}  // namespace h2park::test
