// SampleConnections: a few synthetic connections of a worker that has none yet, as samples for its images'
// dictionary.
//
// They are made of the worker's own objects, so that what all its connections have alike, the worker's
// addresses among it, stands in the dictionary. Never taken from a peer: its secrets would stay as long as
// the server runs.
#pragma once

#include "base/error.hpp"
#include "freezer/dictionary.hpp"
#include "http2/sample_client.hpp"
#include "net/unique_fd.hpp"
#include "server/connection_context.hpp"
#include "server/freezing.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::tls {
class ServerContext;
}

namespace h2park::server {

class Worker;

/// Thread: the worker's. Leaves the worker as it was, but for its counters.
class SampleConnections {
 public:
  /// `tls`: what they speak; null for plain connections.
  SampleConnections(Worker& worker, ConnectionContext& context, tls::ServerContext* tls);
  ~SampleConnections();

  /// Makes the dictionary and gives it to the worker's Freezing. Errors: no sockets, no memory.
  Result<> teach();

 private:
  struct Client;

  std::string authority() const;
  Freezing::Kind kind() const;
  Result<> play_all();
  Result<> play(const http2::SampleClient& client, int requests);
  Result<> shake_hands(bool http2);
  Result<> connect(std::string_view bytes, bool http2);
  Result<> write(std::string_view bytes);
  void settle();
  Result<> build();

  Worker& worker_;
  ConnectionContext& context_;
  tls::ServerContext* const tls_;
  std::vector<Client> clients_;
};

}  // namespace h2park::server
