// A Snapshot as /stats.json and back.
#pragma once

#include "base/error.hpp"
#include "stats/snapshot.hpp"

#include <string>
#include <string_view>

namespace h2park::stats {

enum class JsonStyle : std::uint8_t {
  kLine,    ///< one line
  kPretty,  ///< two blanks of indentation, for people
};

/// The fields in the order of fields(), with a newline at the end. Numbers are plain decimals.
std::string to_json(const Snapshot& snapshot, JsonStyle style = JsonStyle::kLine);

/// Reads what any version of h2park says: fields that are unknown here are skipped; fields that are missing,
/// null or of another type are null. Errors: one line; `text` is not JSON, or not an h2park server's
/// statistics.
Result<Snapshot> from_json(std::string_view text);

}  // namespace h2park::stats
