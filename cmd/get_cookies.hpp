// What --cookie adds to requests.
#pragma once

#include "client/cookie_jar.hpp"
#include "client/request.hpp"
#include "cmd/option_reader.hpp"

#include <memory>

namespace h2park::cmd {

/// Cookies that stand on the command line are a field of the request, those of files become a jar, which
/// keeps what servers set as well: curl's way. Null if there is no file. Faults, a file that cannot be read
/// for one, are the reader's.
std::shared_ptr<client::CookieJar> read_cookies(OptionReader& reader, client::Request& request);

}  // namespace h2park::cmd
