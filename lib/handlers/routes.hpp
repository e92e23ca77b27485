// The handler that serves everything: middleware around the built-in routes, or around the files of --root.
#pragma once

#include "base/error.hpp"
#include "handlers/access_log.hpp"
#include "handlers/options.hpp"
#include "http/handler.hpp"

namespace h2park::handlers {

/// Composed once; any number of threads may call it at once. `log` null: no access log, and no middleware for
/// it. Lifetime: `log` outlives the handler; the handler outlives its exchanges. Errors: --root is missing or
/// not a directory; one line.
Result<http::Handler> make_handler(const Options& options, AccessLog* log);

}  // namespace h2park::handlers
