// A Snapshot as a table for people.
#pragma once

#include "stats/snapshot.hpp"

#include <string>

namespace h2park::stats {

/// Three aligned columns, in groups: the field's JSON name, its exact value, and for large sizes and long
/// times a rounded one. Keys of a tally are listed as `closed.idle` when they are not zero. Control
/// characters that a server may have sent are shown as '?'.
std::string to_text(const Snapshot& snapshot);

/// "1.5 KiB"; "" below 1 KiB.
std::string rounded_size(std::uint64_t bytes);
/// "1d 2h 3m 4s"; "" below a minute.
std::string rounded_time(double seconds);

}  // namespace h2park::stats
