// ResponseReader: HTTP/1 responses from a server's bytes, one after the other on a connection (RFC 9112).
//
// A byte machine without I/O: Beast's parser undoes the framing; what it lets through and must not is refused
// here. It never takes a byte that belongs to what follows the response, and it says whether another request
// may follow on the connection, and if not, why.
//
// It takes every other byte as it comes, also of incomplete lines, so none is looked at twice however the
// input is cut. What it makes of a response does not depend on the cuts.
#pragma once

#include "http1/response_head.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace h2park::http1 {

/// What is wrong with a response. The connection is of no further use after any of them.
enum class ResponseFault : std::uint8_t {
  kNone,
  kStatusLine,     ///< not "HTTP/1.x NNN ..." (RFC 9112 4); HTTP/0.9 and HTTP/2 answers too
  kField,          ///< a field line that is none: space before the colon, control characters (5.1, 5.5)
  kHeadTooLarge,   ///< head, field count or trailers beyond the limits
  kInformational,  ///< more 1xx responses than the limit (9110 15.2)
  kSwitch,         ///< 101 that nobody asked for (9110 7.8, 15.2.2)
  kLength,         ///< invalid or differing Content-Length (9112 6.3 rule 5)
  kChunk,          ///< a chunk line or a chunk's end that is none (7.1)
  kCutShort,       ///< the peer closed before the response was complete (8)
  kEmptyReply,     ///< the peer closed before the first byte of it
};
/// "malformed chunk", for messages.
std::string_view to_string(ResponseFault fault);

/// How the end of the body is found (RFC 9112 6.3).
enum class BodyEnd : std::uint8_t { kNone, kLength, kChunked, kClose };

/// Whether another request may follow on the connection (RFC 9112 9.3), and if not, why.
enum class Persistence : std::uint8_t {
  kReusable,
  kCloseField,      ///< Connection: close
  kHttp10,          ///< HTTP/1.0 without Connection: keep-alive
  kUntilClose,      ///< the body ends with the connection
  kTransferCoding,  ///< Transfer-Encoding beside Content-Length, in HTTP/1.0, or other than chunked alone
  kTunnel,          ///< 2xx to CONNECT, or 101: no longer HTTP
  kFault,           ///< see fault()
};
/// "connection: close", "http/1.0", "until close", ...
std::string_view to_string(Persistence persistence);

struct ResponseLimits {
  std::size_t head_bytes =
      256 * 1024;             ///< status line and fields of one head as sent; curl takes 300 KiB in all
  std::size_t fields = 1000;  ///< of one head, and of the trailers
  std::size_t trailer_bytes = 64 * 1024;
  unsigned informational = 100;  ///< 1xx responses before the final one
};

/// What the request was, as far as the response's framing depends on it.
struct RequestTraits {
  bool head = false;     ///< method HEAD: no body whatever the fields say (6.3 rule 1)
  bool connect = false;  ///< method CONNECT: a 2xx is a tunnel (6.3 rule 2)
  bool upgrade = false;  ///< 101 was asked for
};

/// Gets a response in pieces. Lifetime of the arguments: the call.
class ResponseSink {
 public:
  /// A 1xx response other than 101.
  virtual void on_informational(const ResponseHead& head) = 0;
  virtual void on_head(const ResponseHead& head) = 0;
  /// Content, with the transfer coding undone. At most as much as take() was allowed.
  virtual void on_body(std::string_view bytes) = 0;
  /// Trailers are kept apart from the head's fields (9110 6.5); names lowered.
  virtual void on_trailer(std::string_view name, std::string_view value) = 0;

 protected:
  ~ResponseSink() = default;
};

/// Thread: the connection's. Reuses its memory from response to response.
class ResponseReader {
 public:
  explicit ResponseReader(const ResponseLimits& limits = {});
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  enum class State : std::uint8_t {
    kHead,      ///< no final head yet
    kBody,      ///< on_head() was called, body to come
    kComplete,  ///< nothing more belongs to this response
    kFailed,    ///< see fault()
  };

  /// Before each request's response. Requires: state() is kComplete, or nothing was taken yet.
  void begin(const RequestTraits& traits);

  /// Reads on. `input` begins with what the last call did not consume. Stops at the end of the final head (so
  /// that the caller decides about the body before any of it is handed over), at the end of the response, and
  /// before the content byte for which `body_room` is too small: in kBody, framing that comes before it is
  /// read even without room, so that a body all of whose content was handed over is found complete. Returns
  /// how many bytes were consumed: all of them but for these stops. In kComplete and kFailed it does nothing.
  std::size_t take(std::string_view input, std::uint64_t body_room, ResponseSink& sink);
  /// The peer will send no more. Ends a kClose body; anything else unfinished becomes kFailed, kEmptyReply if
  /// nothing of this response ever came. `unread` is what take() left: as long as content in it waits for
  /// room the state stays kBody, and the verdict follows once take() was given all of it.
  void end_of_input(std::string_view unread);

  State state() const;
  ResponseFault fault() const;
  /// Requires: kBody or kComplete, for all of these.
  const ResponseHead& head() const;
  BodyEnd body_end() const;
  /// Content bytes to come; nothing if only their end will tell.
  std::optional<std::uint64_t> body_left() const;
  /// Before kComplete: as far as the head tells. kFault in kFailed.
  Persistence persistence() const;
  /// Keep-Alive: timeout=N, max=N hints, if any; values that are no numbers are ignored.
  std::optional<std::chrono::seconds> keep_alive_timeout() const;
  std::optional<unsigned> keep_alive_max() const;
  /// Any byte of this response was taken: a retry is no longer invisible (RFC 9112 9.3.1).
  bool started() const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace h2park::http1
