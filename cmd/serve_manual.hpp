// Sections of the manual page of `h2park serve`.
#pragma once

#include "cmd/option_table.hpp"

namespace h2park::cmd {

/// What is answered at --stats.
Section serve_statistics();
Section serve_signals();
Section serve_environment();

}  // namespace h2park::cmd
