// Handler and middleware: one API for both protocols.
#pragma once

#include "base/task.hpp"
#include "http/request.hpp"
#include "http/responder.hpp"

#include <functional>

namespace h2park::http {

/// Answers one request. The arguments outlive the task. Exceptions are bugs or refusals: the recovery
/// middleware turns them into a 500 or a reset.
using Handler = std::function<Task<>(Request&, Responder&)>;
/// Wraps the rest of the chain: call `next(request, responder)` once, before or after work of one's own.
using Middleware = std::function<Task<>(Request&, Responder&, const Handler& next)>;

}  // namespace h2park::http
