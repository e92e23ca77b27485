// Tunnel: makes a connection to a proxy one to an origin, with CONNECT (RFC 9110 9.3.6).
#pragma once

#include "client/failure.hpp"
#include "http1/response_reader.hpp"
#include "net/reactor.hpp"

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace h2park::client {

struct TunnelRequest {
  std::string to;             ///< "example.org:443"
  std::string proxy;          ///< for messages
  std::string authorization;  ///< of the proxy, or ""
  std::string user_agent;     ///< or ""
};

/// Takes exactly the answer from the socket: what follows it is the origin's, and stays there.
/// Thread: the reactor's. Lifetime: destroying it gives up; may be destroyed inside its callback.
class Tunnel final : net::ReadyListener, http1::ResponseSink {
 public:
  using OnEnd = std::move_only_function<void(std::expected<void, Failure>)>;

  /// Requires: `fd` is connected, non-blocking and not watched; it stays open while the tunnel lives. Calls
  /// `on_end` once, never from inside start(); its Watch is gone by then. Failures: kProxyRefused.
  Tunnel(net::Reactor& reactor, int fd, const TunnelRequest& request, OnEnd on_end);
  void start();

  /// Of the proxy's answer; 0: none so far.
  unsigned status() const { return status_; }

 private:
  void on_readable() override { read(); }
  void on_writable() override { write(); }
  void on_informational(const http1::ResponseHead&) override {}
  void on_head(const http1::ResponseHead& head) override { status_ = head.status; }
  void on_body(std::string_view) override {}
  void on_trailer(std::string_view, std::string_view) override {}

  void write();
  void read();
  void judge();
  void refused(std::string why);
  void end(std::expected<void, Failure> result);

  const int fd_;
  const std::string proxy_;
  const std::string to_;
  const bool authorized_;
  OnEnd on_end_;
  std::string unsent_;
  http1::ResponseReader reader_;
  unsigned status_ = 0;  // of the final response
  std::unique_ptr<net::Watch> watch_;
};

}  // namespace h2park::client
