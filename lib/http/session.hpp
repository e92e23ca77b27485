// Session: the protocol state of one server connection, without I/O. Implemented by http1 and http2.
//
// The connection drives it:
//   receive(bytes)  ->  next_request()* -> handlers start  ->  produce(sink)  ->  deadline()
// Everything a session has to say goes out through produce(); everything it needs of the world comes from
// SessionHost. Thread: the connection's thread only.
#pragma once

#include "base/clock.hpp"
#include "http/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>

namespace h2park::http {

/// The limits and times a session enforces. Each is a flag of `serve`.
struct SessionOptions {
  std::uint32_t max_streams = 250;           ///< concurrent streams and running handlers per connection
  std::size_t max_header_bytes = 64 * 1024;  ///< name + value + 32 each (RFC 9113 6.5.2); over it: 431
  std::size_t max_header_fields = 100;       ///< over it: 431
  Duration header_timeout = std::chrono::seconds(10);  ///< a request's head, from its first byte
  Duration idle_timeout = std::chrono::minutes(3);     ///< without a request; also a request body that stalls
  Duration settings_timeout =
      std::chrono::seconds(10);                       ///< preface and first SETTINGS; then our SETTINGS' ACK
  Duration write_timeout = std::chrono::seconds(30);  ///< a response that the peer's window blocks
};

/// Why a connection ended, as `closed: {reason: n}` counts it.
enum class CloseReason : std::uint8_t {
  kClient,    ///< EOF or reset by the client
  kIdle,      ///< idle timeout
  kTimeout,   ///< handshake, preface, header, body, SETTINGS ACK or write timeout
  kProtocol,  ///< the client broke the protocol
  kCalm,      ///< abuse: ENHANCE_YOUR_CALM
  kDone,      ///< `Connection: close`, HTTP/1.0, or after a refused upload
  kShutdown,  ///< the server stops
  kTls,       ///< handshake failed
  kError,     ///< the system refused something, or a bug was caught
  kRefused,   ///< over --max-connections
};
inline constexpr std::size_t kCloseReasons = 10;
std::string_view to_string(CloseReason reason);

/// Takes output. write() copies or sends before it returns: a session may reuse its buffer right after.
class OutputSink {
 public:
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// True when the transport does not take more now: send no further DATA, only what is owed. It turns false
  /// later; the connection then calls produce() again.
  virtual bool blocked() const = 0;

 protected:
  ~OutputSink() = default;
};

class Session {
 public:
  virtual ~Session() = default;

  // ---- input
  /// Takes all of `bytes`, except for what an HTTP/1 session that waits for its current exchange cannot take
  /// yet: it keeps that, bounded, and wants_input() turns false.
  virtual void receive(std::span<const std::byte> bytes) = 0;
  /// The client will send no more.
  virtual void receive_eof() = 0;
  virtual bool wants_input() const = 0;
  /// Requests whose head is complete, in order; null when there is no more. The caller starts the handler,
  /// unless the exchange was abandoned() meanwhile.
  virtual Exchange* next_request() = 0;

  // ---- output
  virtual bool has_output() const = 0;
  virtual void produce(OutputSink& sink) = 0;

  // ---- life
  /// Close the connection once what was produced is sent. Stays true.
  virtual bool finished() const = 0;
  /// Valid when finished().
  virtual CloseReason close_reason() const = 0;
  /// After the last byte: half-close and read on for a while, so that the client sees the answer before a
  /// reset (RFC 9112 9.6). Valid when finished().
  virtual bool wants_lingering_close() const = 0;
  /// Nothing is owed to the peer and nothing received is unprocessed: the serve coroutine may go. Open
  /// streams and running handlers do not count; has_output() does.
  virtual bool can_park() const = 0;
  virtual std::size_t open_streams() const = 0;
  /// Bytes of input kept (a partial head), for the memory figures.
  virtual std::size_t buffered_bytes() const = 0;

  // ---- time
  /// When on_deadline() is to be called at the latest; kNever if nothing is awaited.
  virtual TimePoint deadline() const = 0;
  /// Acts on what is due: answers 408, GOAWAY, resets stalled streams, finishes.
  virtual void on_deadline(TimePoint now) = 0;

  // ---- server shutdown (RFC 9113 6.8, RFC 9112 9.6)
  /// Step 1: take no new work in a way the client can retry; finish what runs, then finished().
  virtual void begin_shutdown() = 0;
  /// Step 2, after the grace period: reset what still runs; finished().
  virtual void cancel() = 0;
};

}  // namespace h2park::http
