// Sections of the manual page of `h2park stat`.
#pragma once

#include "cmd/option_table.hpp"

namespace h2park::cmd {

/// What --until understands.
Section stat_expressions();
/// The fields of /stats.json, as "connections.open".
Section stat_fields();
/// Those of --pid.
Section stat_process_fields();
Section stat_environment();

}  // namespace h2park::cmd
