// What --help prints, from the option table.
#pragma once

#include "cmd/option_table.hpp"

#include <string>

namespace h2park::cmd {

/// Lines of at most 80 columns, with a line feed at the end.
std::string help_text(const CommandSpec& command);

/// `text` in lines of at most `width` columns, each after `indent` spaces. A longer word has a line of its
/// own.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace h2park::cmd
