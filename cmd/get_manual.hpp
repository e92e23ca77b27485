// The sections of h2park-get(1) that its option table alone does not have.
#pragma once

#include "cmd/option_table.hpp"

#include <vector>

namespace h2park::cmd {

/// -w's variables, the words for reuse, close and drain, the fields of --output-format json, signals,
/// environment.
std::vector<Section> get_manual();
std::vector<Text> get_exit_codes();

}  // namespace h2park::cmd
