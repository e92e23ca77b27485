// What a client prefers: the `accept` field (RFC 9110 12.5.1).
#pragma once

#include "http/fields.hpp"

#include <string_view>

namespace h2park::handlers {

/// How much the client wants `type` ("text/html"), in thousandths, 0 to 1000. The most specific range that
/// matches counts: the type itself, then "text/*", then "*/*". Without an `accept` field everything is
/// wanted: 1000. Parameters other than q are ignored; a range that cannot be read does not match.
int accept_quality(const http::Fields& fields, std::string_view type);

}  // namespace h2park::handlers
