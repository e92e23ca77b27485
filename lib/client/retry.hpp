// Retries of whole requests, for --retry: which failures pass by themselves, and how long to wait (as curl).
#pragma once

#include "client/options.hpp"
#include "client/record.hpp"

#include <optional>
#include <string_view>

namespace h2park::client {

/// A timeout, a name that could not be looked up just now, or 408, 429, 500, 502, 503, 504.
bool is_transient(const Record& record);

/// How long to wait before retry number `retry` (from 1); Retry-After in seconds or as a date wins.
Duration retry_delay(const RetryOptions& options, unsigned retry, std::string_view retry_after,
                     std::chrono::system_clock::time_point wall);

}  // namespace h2park::client
