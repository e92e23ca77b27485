// Completion scripts for bash, zsh and fish.
#pragma once

#include "cmd/option_table.hpp"

#include <string>

namespace h2park::cmd::docs {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The first sentence of an option's help, without its full stop.
std::string brief(const OptionSpec& option);

inline constexpr std::string_view kMadeBy = "# Made from the option table by tools/docs; do not edit.\n";

}  // namespace h2park::cmd::docs
