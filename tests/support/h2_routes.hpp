// Handlers for tests of HTTP/2 sessions, by path.
#pragma once

#include "http/handler.hpp"

namespace h2park::test {

/// /hello /echo /upload /bytes?n= /stream?n= /wait /sleep /trailers /hints /status?code= /head /slow-reader
/// /ignore-body /throw /throw-late /rst /info /lie?less|more /forbidden-fields /source?n= /broken-source
/// /big-head
http::Handler h2_routes();

}  // namespace h2park::test
