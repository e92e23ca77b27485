// The handler that serves everything: middleware around the built-in routes, or around the files of --root.
#pragma once

#include "base/error.hpp"
#include "http/handler.hpp"
#include "server/access_log.hpp"
#include "server/options.hpp"

namespace h2park::server {

/// Composed once; any number of threads may call it at once. `log` null: no access log, and no middleware for
/// it. Lifetime: `log` outlives the handler; the handler outlives its exchanges. Errors: --root is missing or
/// not a directory; one line.
Result<http::Handler> make_handler(const HandlerOptions& options, AccessLog* log);

}  // namespace h2park::server
