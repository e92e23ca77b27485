// h2park get: flags -> requests -> reports.
#pragma once

#include "base/error.hpp"
#include "cmd/command_line.hpp"

namespace h2park::cmd {

/// Makes the requests and returns the exit code, having said on standard error why it is not 0. Errors: one
/// line, without "h2park: ", of what was wrong before the first request or after the last.
Result<int> get(const Values& values);

}  // namespace h2park::cmd
