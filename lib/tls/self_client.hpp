// SelfClient: a TLS client of our own server, in the same process: for warm-ups and for sample connections.
#pragma once

#include <memory>
#include <string_view>

struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

namespace h2park::tls {

struct SelfClientOptions {
  bool tls13 = true;             ///< false: TLS 1.2
  const char* suites = nullptr;  ///< OpenSSL's names, of this version; null: the library's
  const char* groups = nullptr;  ///< likewise, for the key exchange
  const char* protocols = "h2";  ///< one ALPN name; "": no extension
  bool tickets = true;
};

/// Verifies nothing: the server is ourselves.
/// Thread: one. Requires: no connection's allocations are routed meanwhile.
class SelfClient {
 public:
  /// Errors: std::bad_alloc, also for names that the library does not know.
  explicit SelfClient(const SelfClientOptions& options);
  ~SelfClient();
  SelfClient(const SelfClient&) = delete;
  SelfClient& operator=(const SelfClient&) = delete;

  /// The socket, non-blocking, which the caller keeps open.
  void use_socket(int descriptor);
  /// Goes on with the handshake. False: it has failed.
  bool step();
  bool done() const;
  /// Takes what has come, tickets too, and throws it away.
  void read();
  /// Requires: done(). False: not written whole.
  bool write(std::string_view bytes);
  /// Tells the server that new keys are used from now on, with the next write(). TLS 1.3.
  void update_key(bool both);
  void say_goodbye();

  using Session = std::unique_ptr<ssl_session_st, void (*)(ssl_session_st*)>;
  /// To be resumed by a client with the same options. Requires: done(), and read() has taken the ticket.
  Session session() const;
  void resume(const Session& session);

  ssl_st* native() { return ssl_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
    void operator()(ssl_st* ssl) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::unique_ptr<ssl_st, Free> ssl_;
};

}  // namespace h2park::tls
