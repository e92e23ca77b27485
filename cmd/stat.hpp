// h2park stat: prints a running server's statistics once.
#pragma once

#include "base/error.hpp"
#include "cmd/command_line.hpp"
#include "cmd/stat_print.hpp"
#include "net/endpoint.hpp"

namespace h2park::cmd {

struct StatSettings {
  net::Endpoint server;
  StatFormat format = StatFormat::kText;
};

/// Errors: a usage error, the whole line after "h2park: ".
Result<StatSettings> parse_stat(const Values& values);

/// Errors: one line, without "h2park: ".
Result<> stat(const Values& values);

}  // namespace h2park::cmd
