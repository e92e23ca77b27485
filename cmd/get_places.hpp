// Where the bodies and reports of `get` go, and which of these options go together.
#pragma once

#include "cmd/get_settings.hpp"
#include "cmd/option_reader.hpp"

namespace h2park::cmd {

/// --output, --remote-name, --output-format, --write-out, --plot and --read. Requires: the rest of `settings`
/// is read. Faults are the reader's.
void read_places(OptionReader& reader, GetSettings& settings);

}  // namespace h2park::cmd
