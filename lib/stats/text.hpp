// Figures as a table for people.
#pragma once

#include "stats/reading.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::stats {

/// Three aligned columns, in groups: the field's JSON name, its exact value, and for large sizes and long
/// times a rounded one. Keys of a tally are listed as `closed.idle` when they are not zero. Control
/// characters that a server may have sent are shown as '?'.
std::string to_text(const Reading& reading);
inline std::string to_text(const Snapshot& snapshot) { return to_text(to_reading(snapshot)); }

/// The same columns without groups, under full names, in the given order, zeros included.
std::string to_table(std::span<const Entry> entries);

/// Rows of cells under each other: the first column to the left, the others to the right, but for those of
/// `left`. No blanks at the ends of lines. Requires: UTF-8; a character is a column wide.
std::string align(const std::vector<std::vector<std::string>>& rows, std::span<const std::size_t> left = {},
                  std::string_view indent = "");

/// What a table shows for it: "4096", "on", "never".
std::string exact_text(const Entry& entry);
/// "4.0 KiB", "1m 0s", or "".
std::string rounded_text(const Entry& entry);

/// "1.5 KiB"; "" below 1 KiB.
std::string rounded_size(std::uint64_t bytes);
/// "1d 2h 3m 4s"; "" below a minute.
std::string rounded_time(double seconds);

}  // namespace h2park::stats
