// StreamReplay: a client's recorded bytes against a worker, cut anywhere. At each cut the connection has its
// rest, and is frozen if it can be; what the server says must not depend on that (replay_pair.hpp).
//
// The clock, connection numbers and request ids are fixed: two houses that begin at the same time say the
// same to the same plan, byte for byte.
#pragma once

#include "support/tls_client.hpp"
#include "support/worker_house.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::test {

/// Thread: one.
class StreamReplay {
 public:
  struct Plan {
    std::string_view bytes;
    /// In rising order. Offsets in what goes over the wire: with TLS its handshake counts, and what is beyond
    /// the end is no cut.
    std::vector<std::size_t> cuts;
    /// The clock moves on by that much at each cut, so that events come while the connection is frozen.
    Duration step = std::chrono::milliseconds(100);
    /// Through TLS; null: plain.
    const tls::TlsClientOptions* tls = nullptr;
  };

  struct Outcome {
    /// What the server said (in plain text, for TLS) until all was quiet, twice for each piece of the
    /// client's: at once, and when the clock had moved on; then at each of a few ticks, and at the client's
    /// end of file.
    std::vector<std::string> said;
    /// At each of these moments: whether the connection was at rest: parked, or frozen where it may be.
    std::vector<bool> rested;
    /// The server's reason to end it, and whether it did so before the client.
    std::size_t closed_for = 0;
    bool closed_first = false;
    /// Bytes over the wire from the client.
    std::size_t sent = 0;

    std::size_t rests() const;
    bool operator==(const Outcome&) const = default;
  };

  /// `freezing`: each rest is a freeze. Requires, for TLS: route_allocations() was called before the first
  /// use of OpenSSL.
  explicit StreamReplay(bool freezing);

  /// Requires: the bytes between two cuts fit into a socket's buffer. Of what the server says meanwhile the
  /// client takes 256 KiB at once: an endless answer stays in the socket.
  Outcome play(const Plan& plan);

  /// Called whenever the connection is at rest, with its ticket and how many bytes the client has sent: to
  /// do harm.
  std::function<void(server::Ticket&, std::size_t sent)> at_rest = [](server::Ticket&, std::size_t) {};

  WorkerHouse house;

 private:
  class Client;

  void pass(Client& client, Outcome& outcome);
  void send(Client& client, const Plan& plan, Outcome& outcome);
  void end(Client& client, Outcome& outcome);
  bool rests() { return (freezing_ ? house.frozen() : house.parked()) == 1; }

  const bool freezing_;
  server::Ticket* ticket_ = nullptr;  // the present connection's
};

/// Where two outcomes differ first, in words; "" if they do not.
std::string first_difference(const StreamReplay::Outcome& wanted, const StreamReplay::Outcome& got);

}  // namespace h2park::test
