// SessionFactory: makes the HTTP/2 sessions of one serving thread.
//
// It owns what they share: nghttp2's callbacks and options, the limits, and the thread's one outbound frame
// buffer.
#pragma once

#include "http/session.hpp"

#include <cstddef>
#include <memory>
#include <memory_resource>

namespace h2park::http2 {

/// The first bytes of every HTTP/2 connection (RFC 9113 3.4). The session expects to receive them.
inline constexpr std::string_view kClientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Lifetime: outlives its sessions. Thread: one per serving thread; sessions stay on it.
class SessionFactory {
 public:
  explicit SessionFactory(const http::SessionOptions& options);
  ~SessionFactory();
  SessionFactory(const SessionFactory&) = delete;
  SessionFactory& operator=(const SessionFactory&) = delete;

  /// A session for a connection that was just accepted. Everything it keeps comes from `memory`, itself
  /// included; deleting it gives that back. Lifetime: `memory`, `host` and `budget` outlive the session. The
  /// connection calls, in each turn: receive(), run what is ready, next_request() until null, produce(). It
  /// runs what is ready before it asks for requests, so that handlers that have ended make room for new ones.
  /// Errors: std::bad_alloc.
  std::unique_ptr<http::Session> make(std::pmr::memory_resource* memory, http::ExchangeHost& host,
                                      http::OutputBudget& budget, bool secure);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace h2park::http2
