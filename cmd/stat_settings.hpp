// What `h2park stat` was told, checked.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cmd/command_line.hpp"
#include "cmd/stat_condition.hpp"
#include "cmd/stat_source.hpp"
#include "stats/field_path.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace h2park::cmd {

enum class StatFormat : std::uint8_t {
  kText,  ///< an aligned table
  kJson,  ///< the server's bytes as they came
  kProm,  ///< Prometheus's text
};

struct StatSettings {
  Place place;
  std::string token;  ///< "": none
  StatFormat format = StatFormat::kText;
  bool format_given = false;
  std::vector<stats::FieldPath> fields;  ///< empty: all
  std::optional<Duration> watch;         ///< the interval; nullopt: once
  std::optional<std::uint64_t> count;    ///< ticks; nullopt: without end
  std::optional<Condition> until;
  std::optional<Duration> timeout;  ///< of `until`; nullopt: never
  std::string diff_file;            ///< "": none

  /// True if all there is to print is the screen or the default line of columns.
  bool is_plain() const { return !format_given && fields.empty(); }
};

/// Errors: a usage error, the whole line after "h2park: "; a failure for a token's file that cannot be read.
Result<StatSettings> parse_stat(const Values& values);

}  // namespace h2park::cmd
