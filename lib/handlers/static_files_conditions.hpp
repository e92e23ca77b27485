// Preconditions of a request for a file (RFC 9110 13).
#pragma once

#include "http/fields.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// What identifies a version of a file.
struct Validators {
  std::string etag;                           ///< strong, with its quotes
  std::chrono::sys_seconds modified;          ///< as sent in last-modified
  std::chrono::system_clock::time_point now;  ///< when the request is answered
};

enum class Verdict : std::uint8_t {
  kGo,
  kNotModified,         ///< 304
  kPreconditionFailed,  ///< 412
};

/// In the order of RFC 9110 13.2.2, for GET and HEAD. A date that cannot be read makes its field void.
Verdict check_conditions(const http::Fields& fields, const Validators& file);

/// If-Range (RFC 9110 13.1.5): true if there is none or it names this version, strongly compared. False: the
/// range is to be ignored.
bool range_may_apply(const http::Fields& fields, const Validators& file);

}  // namespace h2park::handlers
