// The sections of `h2park get`'s options, each added to the list in its place.
#pragma once

#include "cmd/option_table.hpp"

#include <vector>

namespace h2park::cmd {

void add_request(std::vector<OptionSpec>& options);
void add_answers(std::vector<OptionSpec>& options);
void add_output(std::vector<OptionSpec>& options);
void add_repetition(std::vector<OptionSpec>& options);
void add_reuse(std::vector<OptionSpec>& options);
void add_connecting(std::vector<OptionSpec>& options);
void add_tls(std::vector<OptionSpec>& options);

}  // namespace h2park::cmd
