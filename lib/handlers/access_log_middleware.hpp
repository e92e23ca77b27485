// The middleware that writes one access log line per exchange.
#pragma once

#include "handlers/access_log.hpp"
#include "http/handler.hpp"

namespace h2park::handlers {

/// The line is written when the exchange is over: the handler has returned and all but the last
/// kStreamQueueBytes of the body have left for the transport; what is still queued then counts as sent.
/// Belongs outside recovery: it logs what the client was told. Lifetime: `log` outlives the middleware.
http::Middleware access_log_middleware(AccessLog& log);

}  // namespace h2park::handlers
