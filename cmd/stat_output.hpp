// How a reading is written in each of --format, and the lines of --watch.
#pragma once

#include "base/error.hpp"
#include "cmd/stat_settings.hpp"
#include "cmd/stat_source.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// Where text goes: standard output, or a test's string. Errors: it could not be written.
using Sink = std::function<Result<>(std::string_view)>;
Sink standard_output();

/// One reading in full, or the chosen fields of it.
/// Errors: a usage error for a key that the reading's tally does not have.
Result<std::string> format_sample(const Sample& sample, const StatSettings& settings);

/// The columns of `--format text` without --fields: stable names, the same as --fields takes.
std::vector<stats::FieldPath> default_columns(const Place& place);

/// Lines for a pipe: a header, then a line per tick under it, every column as wide as its name at least.
class ColumnLines {
 public:
  /// What each path has in this first reading is a column from now on.
  /// Errors: a usage error for a key that the reading's tally does not have.
  static Result<ColumnLines> choose(const stats::Reading& first, std::span<const stats::FieldPath> paths);

  std::string header() const;
  std::string line(const stats::Reading& reading) const;
  /// A tick without an answer: the time, if it is a column, and dashes.
  std::string line_without_answer(std::chrono::system_clock::time_point time) const;

 private:
  std::string join(const std::vector<std::string>& cells) const;
  std::vector<std::string> names_;
  std::vector<std::size_t> widths_;
};

}  // namespace h2park::cmd
