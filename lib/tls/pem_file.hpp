// PEM files: why one cannot be used, in plain words.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace h2park::tls {

/// 'PATH' in quotes.
std::string quoted(const std::string& path);
/// The system's reason, if the file can't be read at all: OpenSSL's own words for it are less plain. `what`
/// goes before it.
Result<> check_readable(const std::string& what, const std::string& path);
/// Takes the library's reason, with a hint where that reads "no start line" or "unsupported". `expected`:
/// what should be in the file ("certificate").
std::string pem_reason(std::string_view expected);

}  // namespace h2park::tls
