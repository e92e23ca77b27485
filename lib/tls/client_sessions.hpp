// ClientSessions: what servers gave a client to resume its sessions with, a few per server.
#pragma once

#include "tls/openssl.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace h2park::tls {

using SessionPtr = std::unique_ptr<SSL_SESSION, FreeWith<SSL_SESSION_free>>;

/// Thread: one.
class ClientSessions {
 public:
  /// As many as a server gives to a pool that opens several connections at once, at most; the oldest goes
  /// first. 2 to 8 KiB each, so 1 MiB in all is the worst.
  static constexpr std::size_t kPerServer = 16;
  static constexpr std::size_t kInAll = 128;

  /// The newest of a server: used first.
  void put(const std::string& server, SessionPtr session);
  /// One to offer to the server; null if there is none that still holds. One of TLS 1.3 is not kept for
  /// another time (RFC 8446 C.4: whoever watches would know both connections for the same client's).
  SessionPtr take(const std::string& server);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string server;
    SessionPtr session;
  };
  std::list<Entry> entries_;  // the newest first
};

/// Gives `context` a store of its own, which lives as long as it does. What a server gives to an SSL* goes
/// there under the name that resume_as() set. False: out of memory.
bool keep_sessions(SSL_CTX* context);
/// Requires: the context keeps sessions. Offers one of the server's, and keeps what it gives.
/// Errors: std::bad_alloc.
void resume_as(SSL* ssl, const std::string& server);

}  // namespace h2park::tls
