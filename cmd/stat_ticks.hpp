// --watch where there is no screen: a line per tick.
#pragma once

#include "cmd/stat_output.hpp"
#include "cmd/stat_pace.hpp"
#include "cmd/stat_settings.hpp"
#include "cmd/stat_source.hpp"

namespace h2park::cmd {

/// Prints until settings.count ticks are over, or for ever. In text: a header and columns; in JSON: a line
/// per tick; in Prometheus's format: everything, and an empty line behind it. A server that goes away makes
/// lines without figures (JSON: {"error": ...}) until it is back; `complain` is told once each time.
/// Requires: settings.watch.
/// Errors: the first reading failed, the last one did, the source is gone for good, or the output could not
/// be written.
Result<> print_ticks(StatSource& source, const StatSettings& settings, StatPace& pace, const Sink& output,
                     const std::function<void(const std::string&)>& complain);

}  // namespace h2park::cmd
