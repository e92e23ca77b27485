// --diff: an earlier snapshot beside the present one.
#pragma once

#include "base/error.hpp"
#include "cmd/stat_settings.hpp"
#include "stats/reading.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace h2park::cmd {

struct DiffRow {
  stats::Entry now;                  ///< the field, and its present value
  stats::Value old;                  ///< null: the snapshot did not have it
  std::optional<double> difference;  ///< nullopt: one of them is null or a text; a counter after a restart
  std::optional<double> per_second;  ///< counters, if the time between is known
};

struct StatDiff {
  bool restarted = false;         ///< the snapshot is of another run: counters began again at 0
  std::optional<double> seconds;  ///< between the two, by the server's uptime; nullopt after a restart
  std::string old_pid;
  std::string new_pid;
  std::vector<DiffRow> rows;
};

/// Errors: a usage error for a key of --fields that the tally does not have.
Result<StatDiff> compare_readings(const stats::Reading& old, const stats::Reading& now,
                                  std::span<const stats::FieldPath> fields);

/// A line that tells the time between, or the restart; then columns: field, old, new, difference, per second.
std::string diff_text(const StatDiff& diff);
/// {"restarted": false, "elapsed_s": 1.5, "fields": {"connections.open": {"old": 1, "new": 3, "difference":
/// 2}, ...}}
std::string diff_json(const StatDiff& diff);

/// A file that `h2park stat --format json` has written; "-": standard input.
/// Errors: it cannot be read, or is something else; one line that names it.
Result<stats::Reading> read_snapshot_file(const std::string& path);

}  // namespace h2park::cmd
