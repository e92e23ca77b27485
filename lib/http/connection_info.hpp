// What a request's connection is, for handlers and logs.
#pragma once

#include <cstdint>
#include <string>

namespace h2park::http {

/// Facts about a TLS connection after its handshake.
struct TlsInfo {
  std::string version;  ///< "TLSv1.3"
  std::string cipher;   ///< "TLS_AES_128_GCM_SHA256"
  std::string alpn;     ///< "h2", "http/1.1" or ""
  std::string server_name;
  bool resumed = false;
};

/// Lifetime: as long as the connection. Thread: the connection's.
class ConnectionInfo {
 public:
  virtual ~ConnectionInfo() = default;
  /// Unique in the process, never 0.
  virtual std::uint64_t number() const = 0;
  /// "127.0.0.1:40312", "[::1]:40312", or "unix".
  virtual std::string peer() const = 0;
  virtual bool secure() const = 0;
  /// Requires: secure().
  virtual TlsInfo tls() const = 0;
};

}  // namespace h2park::http
