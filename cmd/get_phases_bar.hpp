// What `get -v` shows at the end of a request: its phases to scale, and the facts of its connection.
#pragma once

#include "cmd/get_outcome.hpp"

#include <string>

namespace h2park::cmd {

/// Lines that begin with "* ". Nothing if there was no connection.
std::string phases_bar(const client::Record& record);

}  // namespace h2park::cmd
