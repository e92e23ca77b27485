// Server: listeners, serving threads and their common life.
//
// open() does everything that can fail at start; run() serves until a signal or stop() and returns after the
// shutdown: stop accepting, GOAWAY and `Connection: close`, streams finish within the grace period, then they
// are cancelled.
#pragma once

#include "base/error.hpp"
#include "server/options.hpp"
#include "stats/depths.hpp"
#include "stats/snapshot.hpp"

#include <memory>
#include <string>
#include <vector>

namespace h2park::server {

/// Thread: opened, run and destroyed by one thread. snapshot(), depths(), stopping() and stop() by any.
class Server {
 public:
  /// Binds the listeners, loads the certificate, opens the access log. Nothing is accepted yet.
  /// Errors: one line naming the thing and the system's reason. Nothing stays open then.
  static Result<std::unique_ptr<Server>> open(Options options);
  virtual ~Server() = default;

  /// Each bound address, with its real port: "http://127.0.0.1:8080", "https://[::]:8443",
  /// "unix:/run/x.sock".
  virtual std::vector<std::string> listening() const = 0;
  /// SHA-256 of the self-signed certificate, "AB:CD:..."; "" if there is none.
  virtual std::string fingerprint() const = 0;

  /// SIGTERM and SIGINT stop it, a second one ends the process at once with status 128 + signal. SIGHUP
  /// reloads the certificate, SIGUSR1 reopens the access log.
  virtual void run() = 0;
  virtual void stop() = 0;
  virtual bool stopping() const = 0;

  /// Asks the serving threads to measure their sockets, at most once a second, and sums their counters.
  virtual stats::Snapshot snapshot() = 0;
  /// Asks the serving threads how deep each of their connections sleeps. Empty while the server shuts down
  /// and they may be gone.
  virtual stats::Depths depths() = 0;
};

}  // namespace h2park::server
