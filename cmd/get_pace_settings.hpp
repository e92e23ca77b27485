// How often `get` asks, and how much of each answer it reads.
#pragma once

#include "cmd/get_settings.hpp"
#include "cmd/option_reader.hpp"

namespace h2park::cmd {

/// --requests, --concurrency, --duration, --rate and --think. Faults are the reader's.
void read_pace(OptionReader& reader, GetSettings& settings);

}  // namespace h2park::cmd
