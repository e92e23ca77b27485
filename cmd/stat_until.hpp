// --until: reads again and again until an expression holds.
#pragma once

#include "cmd/stat_condition.hpp"
#include "cmd/stat_pace.hpp"
#include "cmd/stat_source.hpp"

#include <optional>

namespace h2park::cmd {

struct UntilOptions {
  Duration interval = std::chrono::milliseconds(100);
  std::optional<Duration> timeout;  ///< nullopt: never
};

/// The first reading for which `condition` holds, with its time and rates. A server that does not answer is
/// asked again: it may be about to start. Errors: a failure with the last values, or why there are none,
/// after the timeout; a usage error for a key that the server's tally does not have; a failure at once where
/// the source is gone for good.
Result<Sample> wait_until(StatSource& source, const Condition& condition, const UntilOptions& options,
                          StatPace& pace);

}  // namespace h2park::cmd
