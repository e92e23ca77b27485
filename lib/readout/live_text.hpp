// What an event of /live says, as text.
//
// A thread's places are written in order, one letter each, with a number in front of a letter that stands for
// several: "4f2P.a" is four frozen connections, two parked ones, a free place and an active connection. Free
// places at the end are left out. A capital says that the rest began since the event before: whoever was
// dormant then has been awake in between, unless it was parked and is frozen now.
#pragma once

#include "stats/depths.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::readout {

/// `before`: when the watcher last saw these places; nullopt: never, and there are no capitals then.
std::string places_text(const stats::ThreadDepths& depths, std::optional<CoarseTime> before);

/// An event, its empty line included. `stats`: /stats.json, one line. `places`: by thread.
std::string live_event(std::string_view stats, const std::vector<std::string>& places, std::size_t left_out);

}  // namespace h2park::readout
