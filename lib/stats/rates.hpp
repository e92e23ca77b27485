// Rates: what two readings of the same server say together.
#pragma once

#include "stats/reading.hpp"

#include <optional>

namespace h2park::stats {

/// True if it is not the same run: another pid, a shorter uptime, or a counter that went down (in a container
/// every server has pid 1).
bool restarted(const Reading& before, const Reading& now);

/// Seconds from one to the other, by the uptime that both tell. nullopt: it was restarted, or a reading has
/// no uptime, or no time has passed.
std::optional<double> seconds_between(const Reading& before, const Reading& now);

/// Appends, for every counter, its increase per second as an entry of its own. They are null without
/// `before`, and where seconds_between() is.
void add_rates(Reading& now, const Reading* before);

}  // namespace h2park::stats
