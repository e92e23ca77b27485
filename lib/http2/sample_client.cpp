#include "http2/sample_client.hpp"

#include <nghttp2/nghttp2.h>

#include <array>
#include <memory>
#include <new>
#include <vector>

namespace h2park::http2 {
namespace {

using Session =
    std::unique_ptr<nghttp2_session, decltype([](nghttp2_session* s) { nghttp2_session_del(s); })>;

Session make_client() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session* session = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
  const int result = nghttp2_session_client_new(&session, callbacks, nullptr);
  nghttp2_session_callbacks_del(callbacks);
  if (result != 0) throw std::bad_alloc();
  return Session(session);
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  // nghttp2 copies both; its type only lacks the const.
  auto* n = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data()));
  auto* v = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data()));
  return {n, v, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string take_output(nghttp2_session* session) {
  std::string bytes;
  const std::uint8_t* piece = nullptr;
  for (ssize_t n = 0; (n = nghttp2_session_mem_send(session, &piece)) > 0;) {
    bytes.append(reinterpret_cast<const char*>(piece), static_cast<std::size_t>(n));
  }
  return bytes;
}

}  // namespace

SampleBytes sample_client_bytes(const SampleClient& client) {
  const Session session = make_client();
  const std::array settings{
      nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, client.stream_window},
  };
  nghttp2_submit_settings(session.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session.get(), NGHTTP2_FLAG_NONE, 0, client.connection_window);
  std::vector<nghttp2_nv> fields{field(":method", "GET"),
                                 field(":scheme", "http"),
                                 field(":authority", client.authority),
                                 field(":path", client.path),
                                 field("user-agent", client.user_agent),
                                 field("accept-encoding", client.accept)};
  if (!client.cookie.empty()) fields.push_back(field("cookie", client.cookie));
  const auto request = [&] {
    nghttp2_submit_request(session.get(), nullptr, fields.data(), fields.size(), nullptr, nullptr);
    return take_output(session.get());
  };
  SampleBytes bytes;
  bytes.opening = request();
  bytes.next_request = request();
  return bytes;
}

}  // namespace h2park::http2
