#include "support/socket_peer.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace h2park::test {
namespace {

SocketPeer& self_of(void* user_data) { return *static_cast<SocketPeer*>(user_data); }

nghttp2_nv field(std::string_view name, std::string_view value) {
  // nghttp2 copies both: it only lacks the const.
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

SocketPeer::SocketPeer(net::UniqueFd socket, bool auto_windows, std::unique_ptr<tls::TlsClient> tls)
    : socket_(std::move(socket)), tls_(std::move(tls)) {
  fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  fill(callbacks);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, auto_windows ? 0 : 1);
  nghttp2_session_client_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
}

SocketPeer::~SocketPeer() { nghttp2_session_del(session_); }

void SocketPeer::fill(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks,
      [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_bytes,
         const std::uint8_t* value, std::size_t value_bytes, std::uint8_t, void* user_data) {
        PeerResponse& response = self_of(user_data).responses_[frame->hd.stream_id];
        const std::string key(reinterpret_cast<const char*>(name), name_bytes);
        std::string text(reinterpret_cast<const char*>(value), value_bytes);
        (key == ":status" ? response.status : response.fields[key]) = std::move(text);
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                    std::size_t bytes, void* user_data) {
        self_of(user_data).responses_[stream].body.append(reinterpret_cast<const char*>(data), bytes);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
        SocketPeer& self = self_of(user_data);
        const bool ack = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
        if (frame->hd.type == NGHTTP2_PING && ack) ++self.pongs_;
        if (frame->hd.type == NGHTTP2_SETTINGS && ack) ++self.settings_acks_;
        if (frame->hd.type == NGHTTP2_GOAWAY) {
          self.goaways_.emplace_back(frame->goaway.last_stream_id, frame->goaway.error_code);
        }
        if (frame->hd.type == NGHTTP2_RST_STREAM) self.responses_[frame->hd.stream_id].reset = true;
        const bool carries_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        if (carries_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
          self.responses_[frame->hd.stream_id].complete = true;
        }
        return 0;
      });
}

void SocketPeer::greet(std::uint32_t window) {
  const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
  exchange();
}

std::int32_t SocketPeer::submit(const std::string& method, const std::string& path, bool with_body) {
  const std::array fields{field(":method", method), field(":scheme", "http"), field(":authority", "test"),
                          field(":path", path)};
  nghttp2_data_provider body{};
  body.source.ptr = this;
  body.read_callback = [](nghttp2_session*, std::int32_t stream, std::uint8_t* room, std::size_t bytes,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) -> ssize_t {
    Upload& upload = static_cast<SocketPeer*>(source->ptr)->uploads_[stream];
    const std::size_t n = std::min(bytes, upload.pending.size());
    if (n == 0 && !upload.ended) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(room, upload.pending.data(), n);
    upload.pending.erase(0, n);
    if (upload.ended && upload.pending.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  };
  const std::int32_t stream = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                                     with_body ? &body : nullptr, nullptr);
  exchange();
  return stream;
}

std::int32_t SocketPeer::get(const std::string& path) { return submit("GET", path, false); }
std::int32_t SocketPeer::post(const std::string& path) { return submit("POST", path, true); }

void SocketPeer::send_body(std::int32_t stream, const std::string& bytes) {
  uploads_[stream].pending += bytes;
  nghttp2_session_resume_data(session_, stream);
  exchange();
}

void SocketPeer::end_body(std::int32_t stream) {
  uploads_[stream].ended = true;
  nghttp2_session_resume_data(session_, stream);
  exchange();
}

void SocketPeer::reset(std::int32_t stream) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  exchange();
}

void SocketPeer::open_connection_window() {
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 1 << 30);
  exchange();
}

void SocketPeer::open_window(std::int32_t stream, std::int32_t by) {
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, stream, by);
  exchange();
}

void SocketPeer::ping() {
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  exchange();
}

void SocketPeer::change_settings(std::uint32_t window) { greet(window); }

void SocketPeer::exchange() {
  const std::uint8_t* out = nullptr;
  for (ssize_t n; (n = nghttp2_session_mem_send(session_, &out)) > 0;) {
    write_raw({reinterpret_cast<const char*>(out), static_cast<std::size_t>(n)});
  }
  const std::string in = std::exchange(kept_, {}) + read_raw();
  const ssize_t taken =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(in.data()), in.size());
  if (taken != static_cast<ssize_t>(in.size())) throw std::runtime_error("the server broke the protocol");
  if (closed_) return socket_.reset();  // as clients do
  if (nghttp2_session_want_write(session_) != 0 && !in.empty()) exchange();
}

bool SocketPeer::shake_hands() {
  if (tls_ == nullptr) return true;
  tls_->put_input(receive());
  if (!tls_->handshake()) throw std::runtime_error("TLS handshake: " + tls_->reason());
  send_out(tls_->take_output());
  return tls_->done();
}

void SocketPeer::close_notify() {
  tls_->close_notify();
  send_out(tls_->take_output());
}

bool SocketPeer::write_raw(const std::string& bytes) {
  if (tls_ == nullptr) return send_out(bytes);
  tls_->write(bytes);
  return send_out(tls_->take_output());
}

std::string SocketPeer::read_raw() {
  if (tls_ == nullptr) return receive();
  tls_->put_input(receive());
  return tls_->read();
}

bool SocketPeer::send_out(std::string_view bytes) {
  return bytes.empty() ||
         send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::string SocketPeer::receive() {
  std::string all;
  std::array<char, 16'384> buffer;
  for (;;) {
    const ssize_t n = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (n == 0) closed_ = true;
    if (n <= 0) return all;
    all.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

void SocketPeer::half_close() { shutdown(socket_.get(), SHUT_WR); }

}  // namespace h2park::test
