// Dates as HTTP writes them: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7).
#pragma once

#include <chrono>
#include <string_view>

namespace h2park::http {

/// IMF-fixdate of `when`. The text of the last second asked for is kept per thread, so that a `date` field
/// costs a comparison. Lifetime: the view is valid until the thread's next call.
std::string_view date_text(std::chrono::system_clock::time_point when);

}  // namespace h2park::http
