#include "http2/callbacks.hpp"

#include "http2/server_session.hpp"

#include <string_view>

namespace h2park::http2 {
namespace {

template <class Call>
auto guarded(void* user, Call call) noexcept -> decltype(call(*static_cast<ServerSession*>(user))) {
  try {
    return call(*static_cast<ServerSession*>(user));
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

std::string_view text(const std::uint8_t* data, std::size_t bytes) {
  return {reinterpret_cast<const char*>(data), bytes};
}

int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  return guarded(user, [&](ServerSession& s) { return s.on_begin_headers(*frame); });
}

int on_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_bytes,
              const std::uint8_t* value, std::size_t value_bytes, std::uint8_t, void* user) {
  return guarded(
      user, [&](ServerSession& s) { return s.on_header(text(name, name_bytes), text(value, value_bytes)); });
}

int on_frame_recv(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  return guarded(user, [&](ServerSession& s) { return s.on_frame(*frame); });
}

int on_data_chunk(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                  std::size_t bytes, void* user) {
  return guarded(user, [&](ServerSession& s) { return s.on_data(id, text(data, bytes)); });
}

int on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
  return guarded(user, [&](ServerSession& s) { return s.on_stream_close(id, code); });
}

int on_frame_send(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  return guarded(user, [&](ServerSession& s) { return s.on_frame_sent(*frame); });
}

int on_frame_not_send(nghttp2_session*, const nghttp2_frame* frame, int error, void* user) {
  return guarded(user, [&](ServerSession& s) { return s.on_frame_not_sent(*frame, error); });
}

ssize_t read_data(nghttp2_session*, std::int32_t, std::uint8_t* room, std::size_t bytes, std::uint32_t* flags,
                  nghttp2_data_source* source, void* user) {
  return guarded(user, [&](ServerSession& s) -> ssize_t {
    return s.read_data(*static_cast<Stream*>(source->ptr), {reinterpret_cast<char*>(room), bytes}, *flags);
  });
}

}  // namespace

void set_callbacks(nghttp2_session_callbacks& table) {
  nghttp2_session_callbacks_set_on_begin_headers_callback(&table, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(&table, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(&table, on_frame_recv);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(&table, on_data_chunk);
  nghttp2_session_callbacks_set_on_stream_close_callback(&table, on_stream_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(&table, on_frame_send);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(&table, on_frame_not_send);
}

nghttp2_data_provider data_provider(void* stream) {
  nghttp2_data_provider provider{};
  provider.source.ptr = stream;
  provider.read_callback = read_data;
  return provider;
}

}  // namespace h2park::http2
