// A Snapshot as /stats.json and back.
#pragma once

#include "base/error.hpp"
#include "stats/reading.hpp"
#include "stats/snapshot.hpp"

#include <span>
#include <string>
#include <string_view>

namespace h2park::stats {

/// One line, with a newline at its end: the fields in the order of fields(), numbers as plain decimals.
std::string to_json(const Snapshot& snapshot);

/// The same shape with these figures only, in the order in which they are given; a rate is named NAME/s.
std::string to_json(std::span<const Entry> entries);

/// Reads what any version of h2park says: fields that are unknown here are skipped; fields that are missing,
/// null or of another type are null. Errors: one line; `text` is not JSON, or not an h2park server's
/// statistics.
Result<Snapshot> from_json(std::string_view text);

}  // namespace h2park::stats
