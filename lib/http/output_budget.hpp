// OutputBudget: what all exchanges of a connection may have queued, and the line of those that wait for room.
#pragma once

#include <cstddef>

namespace h2park::http {

class Exchange;

/// Counts response heads and bodies that a handler has made and the session has not taken yet.
/// Thread: the connection's.
class OutputBudget {
 public:
  /// DESIGN: at most 256 KiB per connection, then handlers suspend.
  static constexpr std::size_t kLimit = 256 * 1024;

  std::size_t queued = 0;  ///< bodies
  std::size_t heads = 0;   ///< heads that were made and not sent: no handler can be made to wait with one
  /// Exchanges given out whose handler has not returned, abandoned ones included: what a session holds
  /// against its stream limit, so that resetting streams does not buy a client more handlers (RFC 9113 10.5).
  std::size_t handlers = 0;

  /// For bodies.
  std::size_t room() const { return queued + heads < kLimit ? kLimit - queued - heads : 0; }
  /// Somebody waits: who wants more than it has goes to the end of the line.
  bool has_line() const { return first_ != nullptr; }
  /// To the end of the line. Requires: the exchange does not stand in it.
  void wait(Exchange& exchange);
  /// Out of the line, wherever it stands.
  void leave(Exchange& exchange);
  /// Lets waiting writes go on while there is room, the longest waiting first. True: some did, so the session
  /// has more to produce. Never from inside a session's calls.
  bool feed();

 private:
  Exchange* first_ = nullptr;
  Exchange* last_ = nullptr;
};

}  // namespace h2park::http
