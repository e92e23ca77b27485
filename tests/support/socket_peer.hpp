// SocketPeer: an HTTP/2 client at the other end of a worker's socket, for tests without threads.
#pragma once

#include "net/unique_fd.hpp"
#include "support/tls_client.hpp"

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::test {

struct PeerResponse {
  std::string status;
  std::string body;
  std::map<std::string, std::string> fields;
  bool complete = false;
  bool reset = false;
};

class SocketPeer {
 public:
  /// `auto_windows`: WINDOW_UPDATEs follow what is received, as with most clients.
  /// `tls`: what its bytes go through; null: nothing. Then shake_hands() comes first.
  explicit SocketPeer(net::UniqueFd socket, bool auto_windows = true,
                      std::unique_ptr<tls::TlsClient> tls = nullptr);
  SocketPeer(const SocketPeer&) = delete;
  SocketPeer& operator=(const SocketPeer&) = delete;
  ~SocketPeer();

  /// Goes on with the TLS handshake, without waiting. True: it is done, or there is none.
  bool shake_hands();
  tls::TlsClient* tls() { return tls_.get(); }
  /// TLS's own, with the socket left open.
  void close_notify();
  /// Preface and SETTINGS; the window of each stream.
  void greet(std::uint32_t window = 65'535);
  /// Returns the stream's id.
  std::int32_t get(const std::string& path);
  /// A request with a body whose end does not come before end_body().
  std::int32_t post(const std::string& path);
  void send_body(std::int32_t stream, const std::string& bytes);
  void end_body(std::int32_t stream);
  void reset(std::int32_t stream);
  void ping();
  /// WINDOW_UPDATE of the connection, far enough for any test.
  void open_connection_window();
  void open_window(std::int32_t stream, std::int32_t by);
  void change_settings(std::uint32_t window);
  /// Sends what is queued and reads what has come, without waiting.
  void exchange();
  /// Reads what has come and keeps it for the next exchange(), so that the socket does not fill up.
  void keep_input() { kept_ += read_raw(); }
  /// False: the socket's buffer is full, or the server has closed. A piece of a few bytes goes whole or not
  /// at all.
  bool write_raw(const std::string& bytes);
  std::string read_raw();
  void close() { socket_.reset(); }
  void half_close();

  const PeerResponse& response(std::int32_t stream) { return responses_[stream]; }
  int pongs() const { return pongs_; }
  int settings_acks() const { return settings_acks_; }
  /// (last stream id, error code) of each GOAWAY.
  const std::vector<std::pair<std::int32_t, std::uint32_t>>& goaways() const { return goaways_; }
  bool closed() const { return closed_; }

 private:
  struct Upload {
    std::string pending;
    bool ended = false;
  };
  std::int32_t submit(const std::string& method, const std::string& path, bool with_body);
  static void fill(nghttp2_session_callbacks* callbacks);
  bool send_out(std::string_view bytes);
  std::string receive();

  net::UniqueFd socket_;
  std::unique_ptr<tls::TlsClient> tls_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, PeerResponse> responses_;
  std::map<std::int32_t, Upload> uploads_;
  std::vector<std::pair<std::int32_t, std::uint32_t>> goaways_;
  int pongs_ = 0;
  int settings_acks_ = 0;
  std::string kept_;
  bool closed_ = false;
};

}  // namespace h2park::test
