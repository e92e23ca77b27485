// Drain: what becomes of the rest of a response's body when its caller wants no more of it.
//
// 1. The connection is not reusable anyway: no reading, kNotReusable.
// 2. Draining is switched off, or Content-Length says that more than the bound is left: no reading, close.
// 3. What has been received already, by us or by the kernel, is taken without waiting. If that ends the body
//    the connection is idle before the next request is made.
// 4. Otherwise it goes on in the background, as bytes arrive, until the body's end, the bound in bytes (a
//    body that has exactly that much left is still drained) or the bound in time.
#pragma once

#include "client/options.hpp"
#include "client/record.hpp"
#include "http1/response_reader.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace h2park::client {

class Connection;

/// How a drain ended, and why the connection must be closed, if it must.
struct DrainEnd {
  DrainResult result;
  CloseReason close;
};

/// Thread: the client's.
class Drain final : private http1::ResponseSink {
 public:
  Drain(const DrainOptions& options, TimePoint begin)
      : options_(options), begin_(begin), deadline_(begin + options.time) {}

  /// Steps 1 and 2; nothing: reading may bring the end. `forced`: not reusable for this reason, or kNone.
  /// Requires: the reader has the final head.
  std::optional<DrainEnd> judge(const http1::ResponseReader& reader, CloseReason forced) const;
  /// Steps 3 and 4: reads what there is; nothing: more is to come.
  std::optional<DrainEnd> advance(Connection& connection);
  /// The time is over.
  DrainEnd timed_out() const { return {DrainResult::kTimedOut, CloseReason::kDrainTimedOut}; }

  TimePoint begin() const { return begin_; }
  TimePoint deadline() const { return deadline_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void on_informational(const http1::ResponseHead&) override {}
  void on_head(const http1::ResponseHead&) override {}
  void on_body(std::string_view bytes) override { bytes_ += bytes.size(); }
  void on_trailer(std::string_view, std::string_view) override {}

  const DrainOptions& options_;
  const TimePoint begin_;
  const TimePoint deadline_;
  std::uint64_t bytes_ = 0;
};

/// The close reason that goes with a response after which no request may follow; kNone if one may.
CloseReason close_reason_of(http1::Persistence persistence);

}  // namespace h2park::client
