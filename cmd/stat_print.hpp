// What `h2park stat` does once its flags are read.
#pragma once

#include "base/error.hpp"
#include "net/endpoint.hpp"

#include <cstdint>

namespace h2park::cmd {

enum class StatFormat : std::uint8_t {
  kText,  ///< an aligned table
  kJson,  ///< the server's bytes as they came
};

/// Reads the statistics at `endpoint` and prints them once to standard output.
/// Errors: one line; the server did not answer with statistics, or the output could not be written.
Result<> run_stat(const net::Endpoint& endpoint, StatFormat format);

}  // namespace h2park::cmd
