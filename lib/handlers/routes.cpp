#include "handlers/routes.hpp"

#include "handlers/access_log_middleware.hpp"
#include "handlers/middleware.hpp"
#include "handlers/recovery.hpp"
#include "handlers/request_id.hpp"
#include "handlers/routes_builtin.hpp"
#include "handlers/static_files.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace h2park::handlers {
namespace {

constexpr MethodSet kRead = Method::kGet;
constexpr MethodSet kSend = Method::kPost | Method::kPut | MethodSet(Method::kPatch);
constexpr MethodSet kAny = kRead | kSend | Method::kDelete;

constexpr std::array<BuiltinRoute, 17> kRoutes = {{
    {kRead, "/", "/", "this list; HTML for those who prefer it", &handle_index},
    {kRead, "/hello", "/hello", "a short text", &handle_hello},
    {kRead, "/bytes/{n}", "/bytes/64KiB", "n bytes (0 to 1TiB)", &handle_bytes},
    {kRead, "/stream/{n}", "/stream/10", "n chunks (0 to 1000000), each flushed", &handle_stream},
    {kSend, "/echo", "/echo", "the request's body, sent back as it comes", nullptr},
    {kSend, "/upload", "/upload", "counts the request's body and answers with the number as JSON", nullptr},
    {kAny, "/status/{code}", "/status/404", "an answer with that status (200 to 599)", &handle_status},
    {kRead, "/delay/{ms}", "/delay/250", "an answer after a while (a number of ms, or with a unit: 1.5s)",
     &handle_delay},
    {kRead, "/drip", "/drip?bytes=1&interval=1s&count=10",
     "count pieces of that many bytes, one per interval; count=0: for ever", &handle_drip},
    {kRead, "/events", "/events?interval=1s&count=0",
     "server-sent events, the first at once; count=0: for ever", &handle_events},
    {kRead, "/wait", "/wait?ms=30000", "a long poll: how long it waited, as JSON", &handle_wait},
    {kRead, "/trailers", "/trailers", "two trailer fields after the body", &handle_trailers},
    {kRead, "/bigheader/{n}", "/bigheader/8KiB", "a header field with a value of n bytes (0 to 1MiB)",
     &handle_big_header},
    {kRead, "/manyheaders/{n}", "/manyheaders/100", "n header fields (0 to 10000)", &handle_many_headers},
    {kRead, "/early-hints", "/early-hints", "103 with a link, then 200", &handle_early_hints},
    {kAny, "/info", "/info", "what the server saw of connection and request, as JSON", &handle_info},
    {kRead, "/rst", "/rst", "begins an answer, then resets the stream (HTTP/1: closes the connection)",
     &handle_rst},
}};

http::Handler handler_of(const BuiltinRoute& route, const Options& options) {
  if (route.handler != nullptr) return route.handler;
  return route.pattern == "/echo" ? make_echo(options.max_body_bytes) : make_upload(options.max_body_bytes);
}

std::vector<http::Middleware> make_middleware(AccessLog* log) {
  std::vector<http::Middleware> chain;
  // An id that is logged is also told to the client; without a log only a client's own id is.
  chain.push_back(request_id_middleware(log != nullptr));
  if (log != nullptr) chain.push_back(access_log_middleware(*log));
  chain.push_back(recovery_middleware());
  return chain;
}

}  // namespace

std::span<const BuiltinRoute> builtin_routes() { return kRoutes; }

Router builtin_router(const Options& options) {
  Router router;
  for (const BuiltinRoute& route : kRoutes)
    router.add(route.methods, route.pattern, handler_of(route, options));
  return router;
}

Result<http::Handler> make_handler(const Options& options, AccessLog* log) {
  http::Handler innermost;
  if (options.root.empty()) {
    innermost = [router = std::make_shared<const Router>(builtin_router(options))](
                    http::Request& request, http::Responder& response) {
      return (*router)(request, response);
    };
  } else {
    auto files = StaticFiles::open(options.root);
    if (!files) return std::unexpected(files.error());
    innermost = [files = std::make_shared<const StaticFiles>(std::move(*files))](http::Request& request,
                                                                                 http::Responder& response) {
      return (*files)(request, response);
    };
  }
  return compose(make_middleware(log), std::move(innermost));
}

}  // namespace h2park::handlers
