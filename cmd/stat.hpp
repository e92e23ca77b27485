// h2park stat: shows a running server's statistics, or a process's figures: once, again and again, compared
// with earlier ones, or until an expression holds.
#pragma once

#include "base/error.hpp"
#include "cmd/command_line.hpp"

namespace h2park::cmd {

/// Errors: one line, without "h2park: ".
Result<> stat(const Values& values);

}  // namespace h2park::cmd
