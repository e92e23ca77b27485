// Redirects: which responses are one, and what is asked for next (RFC 9110 15.4; where it leaves a choice, as
// curl).
#pragma once

#include "client/request.hpp"

#include <string_view>

namespace h2park::client {

/// 301, 302, 303, 307 and 308: what Location means for the others is no redirect.
bool is_redirect(unsigned status);

/// The request that follows `from`: POST becomes GET after 301 and 302, everything but HEAD after 303, unless
/// the method was asked for by name; a body that is no longer sent takes its fields with it. For another
/// origin, Authorization, Cookie, Proxy-Authorization and Host are left out, unless `trusted`. Requires:
/// is_redirect(status). Errors: a location that is no http or https URL.
Result<Request> redirected(const Request& from, unsigned status, std::string_view location, bool trusted);

}  // namespace h2park::client
