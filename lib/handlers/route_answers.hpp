// Short plain-text answers: refusals and errors, one line each.
#pragma once

#include "base/task.hpp"
#include "handlers/route_method.hpp"
#include "http/request.hpp"
#include "http/responder.hpp"

#include <string>

namespace h2park::handlers {

/// Answers `status` with `line` and a line feed as text/plain. Fields set before stay.
/// Requires: the response is not started.
Task<> answer_line(http::Responder& response, unsigned status, std::string line);

/// 405 with `allow` (RFC 9110 15.5.6).
Task<> answer_not_allowed(http::Responder& response, std::string_view allow);

/// OPTIONS: 204 with `allow` (RFC 9110 9.3.7).
Task<> answer_options(http::Responder& response, std::string_view allow);

/// The answers that no resource changes: a method that is unknown or CONNECT (501), TRACE (405), a target
/// that is
/// "*" or not a path. An empty Task means: go on with the path, whose methods are to be checked.
/// `allow_all` is what the server allows on any of its resources.
Task<> answer_without_resource(http::Request& request, http::Responder& response, std::string_view allow_all);

}  // namespace h2park::handlers
