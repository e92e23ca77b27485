// The request that the options of `get` describe, without its URL.
#pragma once

#include "client/request.hpp"
#include "cmd/option_reader.hpp"

#include <string>
#include <string_view>

namespace h2park::cmd {

/// Method, version, fields and body. Faults are the reader's.
client::Request read_request(OptionReader& reader);

/// The value of a field in `request`, or "".
std::string_view field_of(const client::Request& request, std::string_view name);

/// A file's content; "-" is standard input. Faults are the reader's, as kReadFailed of `option`.
std::string read_named_file(OptionReader& reader, std::string_view option, const std::string& name);

}  // namespace h2park::cmd
