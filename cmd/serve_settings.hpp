// What `h2park serve` was told, checked.
#pragma once

#include "base/error.hpp"
#include "base/log.hpp"
#include "cmd/command_line.hpp"
#include "net/endpoint.hpp"
#include "server/options.hpp"

#include <optional>
#include <string>

namespace h2park::cmd {

struct ServeSettings {
  server::Options server;
  std::optional<net::Endpoint> stats;  ///< nullopt: --stats off
  std::string stats_token;             ///< "": none
  log::Level log_level = log::Level::kInfo;
};

/// Reads every option and checks how they go together. Opens and starts nothing; looks up the name of the
/// --stats address to see whether it is loopback, and reads a token's file. Errors: a usage error, the whole
/// line after "h2park: "; a failure for a token's file that cannot be read.
Result<ServeSettings> parse_serve(const Values& values);

}  // namespace h2park::cmd
