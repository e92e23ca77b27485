// What a request's fields mean for the connection, and the rules that Beast 1.81 does not hold.
//
// Beast's basic_parser accepts, and this refuses:
//   - a Transfer-Encoding that does not end in chunked ("gzip", "chunked, gzip", "xchunked"): Beast then sees
//   no body
//     at all, and the body would be read as the next request (RFC 9112 6.1, 6.3)
//   - codings before chunked ("gzip, chunked"), which nobody would decode; chunked in HTTP/1.0
//   - "Content-Length: 5, 5" and two equal Content-Length fields
//   - no Host, two Hosts, or a Host that is no host
#pragma once

#include "http/request_head.hpp"

namespace h2park::http1 {

struct FieldFacts {
  unsigned status = 0;  ///< 0, or why the request is refused: 400, 417 or 501
  bool keep_alive = false;
  bool expects_continue = false;
};

/// Checks head.fields, moves Host to head.authority (unless the target had one) and sets head.content_length.
/// Requires: version, method and target are set.
FieldFacts apply_field_rules(http::RequestHead& head);

}  // namespace h2park::http1
