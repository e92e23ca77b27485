// Depths: how deep each connection sleeps, place by place, for whoever draws them.
//
// A place is a connection's number within its serving thread. It keeps it for life, and the next connection
// may have it afterwards: places are stable, and few as long as connections are.
#pragma once

#include "base/clock.hpp"
#include "stats/counters.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace h2park::stats {

struct Place {
  std::optional<Depth> depth;  ///< nullopt: no connection has it
  /// Parked, frozen: for how long now. An earlier look that saw the same depth saw the same rest if this is
  /// longer than the time between the two.
  std::chrono::duration<std::uint32_t, std::milli> rested{0};

  bool operator==(const Place&) const = default;
};

struct ThreadDepths {
  CoarseTime taken;
  std::vector<Place> places;  ///< up to the last that is not free
  std::size_t left_out = 0;   ///< connections beyond the places that were asked for
};

/// By serving thread. nullopt: it had no time to answer.
using Depths = std::vector<std::optional<ThreadDepths>>;

}  // namespace h2park::stats
