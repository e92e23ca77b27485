// Where to listen, or where to connect: HOST:PORT or unix:PATH.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace h2park::net {

struct Endpoint {
  std::string host;        ///< without brackets; empty for unix sockets
  std::uint16_t port = 0;  ///< 0: any free port
  std::string unix_path;   ///< "" for TCP

  bool is_unix() const { return !unix_path.empty(); }
  /// As written: "127.0.0.1:8080", "[::]:8080", "unix:/run/h2park.sock".
  std::string text() const;
  bool operator==(const Endpoint&) const = default;
};

/// Errors: usage_error naming what is wrong with `text`. A port alone ("8080", ":8080") means 127.0.0.1.
Result<Endpoint> parse_endpoint(std::string_view text);
/// True if every address of the endpoint is loopback, or it is a unix socket.
bool is_loopback(const Endpoint& endpoint);

}  // namespace h2park::net
