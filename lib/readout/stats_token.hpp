// The token of a stats endpoint, as both sides of it read it from the command line.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace h2park::readout {

/// `text`: the token itself, or @FILE for the first line of a file, which keeps it out of the process list.
/// A token is what RFC 6750 2.1 allows: letters, digits, -._~+/ and then '=' signs.
/// Errors: a usage error for a character that a token cannot have, which does not show the token; a failure
/// with the system's reason for a file that cannot be read.
Result<std::string> parse_stats_token(std::string_view text);

}  // namespace h2park::readout
