// A command's man page, in roff with man(7) macros.
#pragma once

#include "cmd/option_table.hpp"

#include <string>

namespace h2park::cmd::docs {

std::string man_page(const CommandSpec& command);

}  // namespace h2park::cmd::docs
