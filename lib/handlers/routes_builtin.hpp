// The built-in routes, for scripts and load tests: their handlers and their table.
#pragma once

#include "handlers/options.hpp"
#include "handlers/route_method.hpp"
#include "handlers/router.hpp"
#include "http/handler.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace h2park::handlers {

/// A row of the table that `/` lists.
struct BuiltinRoute {
  MethodSet methods;
  std::string_view pattern;
  std::string_view usage;                               ///< the path with its query parameters
  std::string_view about;                               ///< one line
  Task<> (*handler)(http::Request&, http::Responder&);  ///< null: made with options, see builtin_router()
};
std::span<const BuiltinRoute> builtin_routes();

Router builtin_router(const Options& options);

// routes_bodies.cpp
Task<> handle_hello(http::Request& request, http::Responder& response);
Task<> handle_bytes(http::Request& request, http::Responder& response);
Task<> handle_stream(http::Request& request, http::Responder& response);
http::Handler make_echo(std::uint64_t max_body_bytes);
http::Handler make_upload(std::uint64_t max_body_bytes);

// routes_timing.cpp
Task<> handle_delay(http::Request& request, http::Responder& response);
Task<> handle_drip(http::Request& request, http::Responder& response);
Task<> handle_events(http::Request& request, http::Responder& response);
Task<> handle_wait(http::Request& request, http::Responder& response);

// routes_protocol.cpp
Task<> handle_status(http::Request& request, http::Responder& response);
Task<> handle_trailers(http::Request& request, http::Responder& response);
Task<> handle_big_header(http::Request& request, http::Responder& response);
Task<> handle_many_headers(http::Request& request, http::Responder& response);
Task<> handle_early_hints(http::Request& request, http::Responder& response);
Task<> handle_rst(http::Request& request, http::Responder& response);

// routes_info.cpp
Task<> handle_info(http::Request& request, http::Responder& response);

// routes_index.cpp
Task<> handle_index(http::Request& request, http::Responder& response);

}  // namespace h2park::handlers
