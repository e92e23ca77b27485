// Recovery: what a handler's exception becomes.
//
// Nothing sent yet: 500. Response under way: the stream is reset, so that nobody takes half an answer for a
// whole one. Either way it is reported once, with route and request id, and the connection lives.
#pragma once

#include "http/handler.hpp"

#include <functional>
#include <string_view>

namespace h2park::handlers {

/// Where failures are reported, one line each. Thread: called from any serving thread.
using FailureReport = std::function<void(std::string_view line)>;

/// Reports as errors in the server's own log.
FailureReport report_to_log();

/// Nothing leaves the resulting chain as an exception.
http::Middleware recovery_middleware(FailureReport report = report_to_log());

}  // namespace h2park::handlers
