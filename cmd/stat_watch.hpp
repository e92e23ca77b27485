// --watch on a terminal: the loop between the sampler, the keyboard, signals and the screen.
#pragma once

#include "cmd/stat_settings.hpp"
#include "cmd/stat_signals.hpp"
#include "cmd/stat_source.hpp"
#include "cmd/stat_terminal.hpp"

namespace h2park::cmd {

/// Until q is pressed, settings.count ticks are over, the terminal is gone, or a signal comes, by which the
/// process then ends. `terminal` is given back in any case. Requires: settings.watch. Errors: the first
/// reading failed, or the source is gone for good.
Result<> watch_on(std::unique_ptr<Terminal> terminal, EndSignals& signals, StatSource& source,
                  const StatSettings& settings);

}  // namespace h2park::cmd
