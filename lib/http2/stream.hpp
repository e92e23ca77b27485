// Stream: what the session keeps beside nghttp2's own record of a stream, and the lists it stands in.
#pragma once

#include "base/clock.hpp"
#include "http/exchange.hpp"

#include <cstdint>

#include <boost/intrusive/list.hpp>

namespace h2park::http2 {

using ListHook =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// Lifetime: from the request's HEADERS to nghttp2's close callback.
struct Stream {
  explicit Stream(std::int32_t stream_id) : id(stream_id) {}

  const std::int32_t id;
  /// Null once it was abandoned, and for a stream that the session answers itself.
  http::Exchange* exchange = nullptr;
  /// The connection owns the exchange.
  bool given_out = false;
  /// nghttp2 does not ask for response DATA until it is told to.
  bool deferred = false;
  bool body_seen = false;
  /// When the response last moved, or the request's body.
  TimePoint write_since;
  TimePoint body_since;

  ListHook all;
  ListHook queue;  // requests not given out; later: responses that wait for the transport
  ListHook write_stall;
  ListHook body_stall;
};

template <ListHook Stream::*Hook>
using StreamList = boost::intrusive::list<Stream, boost::intrusive::member_hook<Stream, ListHook, Hook>,
                                          boost::intrusive::constant_time_size<false>>;

/// Streams that wait for the client, the longest waiting first: since all wait equally long, the order of
/// arrival is the order of their deadlines.
template <ListHook Stream::*Hook, TimePoint Stream::*Since>
class StallQueue {
 public:
  /// Begins or renews the wait.
  void restart(Stream& stream, TimePoint now) {
    stream.*Since = now;
    (stream.*Hook).unlink();
    streams_.push_back(stream);
  }
  static bool waits(const Stream& stream) { return (stream.*Hook).is_linked(); }
  static void stop(Stream& stream) { (stream.*Hook).unlink(); }
  bool empty() const { return streams_.empty(); }
  TimePoint deadline(Duration timeout) const {
    return streams_.empty() ? kNever : streams_.front().*Since + timeout;
  }
  Stream& front() { return streams_.front(); }

 private:
  StreamList<Hook> streams_;
};

}  // namespace h2park::http2
