// Record: everything that is known of one request when it is over, the draining of its body included.
#pragma once

#include "base/clock.hpp"
#include "client/failure.hpp"
#include "client/reuse.hpp"
#include "client/url.hpp"
#include "http/request_head.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace h2park::client {

/// Points in time; those of phases that did not happen are those of the phase before (as curl's are), so each
/// phase is a difference. Names: `dns` = resolved - begin, `connect`, `tls`, `send` = sent - ready, `wait` =
/// first_byte - sent, `read` = end - first_byte; curl's time_pretransfer is ready - start.
struct Timings {
  TimePoint start;       ///< the caller asked; with redirects: asked for the first URL
  TimePoint begin;       ///< of the last exchange: after redirects and retries; else start
  TimePoint resolved;    ///< the name, if one was looked up for this request's own connection
  TimePoint connected;   ///< TCP
  TimePoint secured;     ///< TLS
  TimePoint ready;       ///< the request had its connection
  TimePoint sent;        ///< the last byte of it was handed to the kernel
  TimePoint first_byte;  ///< of the final response
  TimePoint end;         ///< the caller was done with the body; draining is not waited for
};

struct ConnectionFacts {
  std::uint64_t id = 0;  ///< counted from 1 over the run; 0: no connection
  bool reused = false;
  Duration idle{};             ///< since its last response, if reused
  std::uint64_t requests = 0;  ///< made on it, this one included
  MissReason miss;
  std::string remote;  ///< "127.0.0.1:8080", "unix"
  std::string local;
  long verify_result = 0;  ///< of the TLS peer's certificate, curl's ssl_verify_result
};

struct DrainFacts {
  DrainResult result = DrainResult::kNone;
  CloseReason close = CloseReason::kNone;  ///< why the connection ended with this request, or kNone
  std::uint64_t bytes = 0;                 ///< of content read and thrown away
  Duration time{};
};

struct Record {
  std::string url;      ///< the last one, after redirects
  std::string method;   ///< of the last exchange
  unsigned status = 0;  ///< 0: no response
  http::Version version = http::Version::kHttp11;
  std::uint64_t body_bytes = 0;     ///< content handed to the caller, before Content-Encoding is undone
  std::uint64_t head_bytes = 0;     ///< of all response heads, 1xx too
  std::uint64_t request_bytes = 0;  ///< of the heads of all requests
  std::uint64_t upload_bytes = 0;
  std::string content_type;
  std::string redirect_url;   ///< where a redirect that was not followed points
  unsigned redirects = 0;     ///< followed
  Duration redirect_time{};   ///< spent on them: curl's time_redirect
  unsigned retries = 0;       ///< --retry
  unsigned proxy_status = 0;  ///< of the last answer to CONNECT; 0: none
  unsigned connects = 0;      ///< new connections made for it: curl's num_connects
  Timings timings;
  ConnectionFacts connection;
  DrainFacts drain;
  std::optional<Failure> failure;
};

}  // namespace h2park::client
