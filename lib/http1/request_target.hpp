// The four forms of a request target (RFC 9112 3.2) and the Host field.
#pragma once

#include "http/request_head.hpp"

#include <string_view>

namespace h2park::http1 {

/// Takes `target` apart into head.scheme, head.authority and head.target. Requires: head.method is set.
///   origin-form     "/a?b"            any method but CONNECT
///   absolute-form   "http://h/a?b"    its authority stays and overrides Host; "" as path becomes "/", or "*"
///   for OPTIONS authority-form  "h:443"           CONNECT only; head.target stays empty asterisk-form   "*"
///   OPTIONS only
/// Returns false if it is none of them (400).
bool assign_target(std::string_view target, bool secure, http::RequestHead& head);

/// RFC 9110 7.2 and 4.2.4: host [":" port], no userinfo. "" is valid: a target without authority.
bool is_valid_authority(std::string_view authority);

}  // namespace h2park::http1
