// h2park serve: flags -> options -> server.
#pragma once

#include "base/error.hpp"
#include "cmd/command_line.hpp"

namespace h2park::cmd {

/// Serves until a signal ends it. Errors: one line, without "h2park: ".
Result<> serve(const Values& values);

}  // namespace h2park::cmd
