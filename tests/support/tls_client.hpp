// OpenSSL's own client at the other end of a socket pair from a ServerTransport.
#pragma once

#include "net/unique_fd.hpp"
#include "tls/openssl.hpp"
#include "tls/server_transport.hpp"

#include <functional>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::tls {

using SessionPtr = std::unique_ptr<SSL_SESSION, FreeWith<SSL_SESSION_free>>;

struct TlsClientOptions {
  int version = TLS1_3_VERSION;
  std::vector<std::string> alpn;  ///< in the order offered; empty: no extension
  std::string server_name;        ///< "": no extension
  std::string ciphers;            ///< TLS 1.2 list; "": the library's
  std::string suites;             ///< TLS 1.3 list; "": the library's
  std::string groups;             ///< for the key exchange; "": the library's
  SSL_SESSION* resume = nullptr;  ///< offered for resumption
  bool tickets = true;            ///< TLS 1.2: whether it can take one
};

/// A client whose bytes the test carries: what it sends lies in a memory BIO until moved.
class TlsClient {
 public:
  explicit TlsClient(const TlsClientOptions& options = {});
  /// As a client that ended properly: the library spoils the session of any other.
  ~TlsClient() { SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }

  /// Goes on with the handshake. False: it has failed, and reason() says why.
  bool handshake();
  bool done() const { return SSL_is_init_finished(ssl_.get()) == 1; }
  /// Decrypts what has arrived; "" if there is nothing.
  std::string read();
  void write(std::string_view text);
  void close_notify() { SSL_shutdown(ssl_.get()); }
  bool saw_close_notify() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  const std::string& reason() const { return reason_; }
  SSL* ssl() { return ssl_.get(); }
  /// The newest session that the server gave a ticket for; null if none came.
  SessionPtr session() const;
  std::size_t tickets() const { return tickets_; }

  /// Takes at most `limit` of the bytes that wait to be sent.
  std::string take_output(std::size_t limit = std::string::npos);
  void put_input(std::string_view bytes);

 private:
  static int remember_session(SSL* ssl, SSL_SESSION* session);

  SslContextPtr context_;
  SslPtr ssl_;
  SessionPtr session_;
  std::size_t tickets_ = 0;
  std::string reason_;
};

/// A client and a transport, with a socket pair between them that can be sliced.
class Link {
 public:
  /// `memory`: where the transport lies.
  explicit Link(ServerContext& context, const TlsClientOptions& options = {},
                std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  ~Link() { std::pmr::polymorphic_allocator<>(memory_).delete_object(&server); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Runs both ends until the handshake is done at both (true), or failed at one. At most `slice` bytes at a
  /// time go from the client to the server, and each slice is seen alone.
  bool handshake(std::size_t slice = std::string::npos);
  /// Moves what the client has to send into the socket, and what the server sent to the client.
  void carry();
  void to_server(std::string_view bytes);
  void to_client();
  /// Everything the server reads until it wants to wait or ends; the last status is kept.
  std::string server_read(std::size_t room = 16384);
  net::IoResult server_write(std::string_view text);

  TlsClient client;
  net::UniqueFd wire;  ///< the client's end of the socket
  ServerTransport& server;
  net::IoStatus status = net::IoStatus::kOk;  ///< of the server's last handshake() or read()
  /// Called before each call of the server's.
  std::function<void()> before_call = [] {};

 private:
  Link(ServerContext& context, const TlsClientOptions& options, std::pmr::memory_resource* memory,
       std::pair<net::UniqueFd, net::UniqueFd> ends);

  std::pmr::memory_resource* memory_;
};

}  // namespace h2park::tls
