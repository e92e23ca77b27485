#include "unit/freezer/slot_session.hpp"

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

namespace h2park::freezer::test {
namespace {

constexpr std::array kUserAgents{
    "curl/7.88.1",
    "Go-http-client/2.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    "python-httpx/0.27",
    "okhttp/4.12.0",
    "grpc-c++/1.62",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_4) AppleWebKit/605.1.15 Version/17.4 Safari/605.1.15",
    "node",
    "Envoy/HC",
    "Prometheus/2.42.0",
};

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

void want(bool right, const char* what) {
  if (!right) throw std::runtime_error(what);
}

// ---- the server

ssize_t read_hello(nghttp2_session*, std::int32_t, std::uint8_t* buffer, std::size_t, std::uint32_t* flags,
                   nghttp2_data_source*, void*) {
  std::memcpy(buffer, "hello\n", 6);
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  return 6;
}

int answer(nghttp2_session* session, const nghttp2_frame* frame, void*) {
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  const std::array fields{field(":status", "200"), field("content-type", "text/plain"),
                          field("content-length", "6"), field("date", "Mon, 30 Nov 2026 09:00:00 GMT"),
                          field("server", "h2park")};
  nghttp2_data_provider body{.source = {}, .read_callback = read_hello};
  return nghttp2_submit_response(session, frame->hd.stream_id, fields.data(), fields.size(), &body);
}

/// Callbacks and options of all server sessions of the process.
struct ServerTables {
  ServerTables() {
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, answer);
    nghttp2_option_new(&option);
    nghttp2_option_set_no_closed_streams(option, 1);
  }
  ~ServerTables() {
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
  }

  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
};

const ServerTables& tables() {
  static const ServerTables made;
  return made;
}

// The outbound frame buffer, shared by all sessions of a thread as the server does.
constexpr std::size_t kFrameBufferBytes = 16'394;
alignas(16) thread_local std::array<std::byte, kFrameBufferBytes> frame_buffer;

void* obtain(SlotHeap& slot, std::size_t bytes) {
  return bytes == kFrameBufferBytes ? frame_buffer.data() : slot.obtain(bytes);
}

nghttp2_mem functions_of(SlotHeap& slot) {
  return {
      .mem_user_data = &slot,
      .malloc = [](std::size_t bytes, void* heap) { return obtain(*static_cast<SlotHeap*>(heap), bytes); },
      .free =
          [](void* block, void* heap) {
            if (block != frame_buffer.data()) static_cast<SlotHeap*>(heap)->release(block);
          },
      .calloc = [](std::size_t count, std::size_t bytes,
                   void* heap) { return static_cast<SlotHeap*>(heap)->obtain(count * bytes); },
      .realloc =
          [](void* block, std::size_t bytes, void* heap) {
            auto& own = *static_cast<SlotHeap*>(heap);
            return block == nullptr ? obtain(own, bytes) : own.resize(block, bytes);
          },
  };
}

// ---- the client

struct FreeSession {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
using SessionPointer = std::unique_ptr<nghttp2_session, FreeSession>;

std::string send_all(nghttp2_session* session) {
  std::string sent;
  const std::uint8_t* piece = nullptr;
  ssize_t size = 0;
  while ((size = nghttp2_session_mem_send(session, &piece)) > 0) {
    sent.append(reinterpret_cast<const char*>(piece), static_cast<std::size_t>(size));
  }
  want(size == 0, "nghttp2_session_mem_send");
  return sent;
}

void receive_all(nghttp2_session* session, std::string_view bytes) {
  const auto taken =
      nghttp2_session_mem_recv(session, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  want(taken == static_cast<ssize_t>(bytes.size()), "nghttp2_session_mem_recv");
}

SessionPointer new_session(bool client) {
  nghttp2_session* session = nullptr;
  nghttp2_session_callbacks* none = nullptr;
  nghttp2_session_callbacks_new(&none);
  if (client) {
    nghttp2_session_client_new(&session, none, nullptr);
  } else {
    nghttp2_session_server_new2(&session, tables().callbacks, nullptr, tables().option);
  }
  nghttp2_session_callbacks_del(none);
  return SessionPointer(session);
}

void submit_server_settings(nghttp2_session* session) {
  const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 250};
  want(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &entry, 1) == 0, "nghttp2_submit_settings");
}

/// Text that makes one client's requests differ from another's.
struct ClientText {
  std::string user_agent = "h2rig/1.0";
  std::string cookie;
  std::uint32_t window = 4U << 20;
};

ClientText text_of(const ClientKind& kind, std::mt19937& random) {
  ClientText text;
  if (!kind.mixed) return text;
  text.window = 65535U << random() % 7;
  text.user_agent = kUserAgents[random() % kUserAgents.size()];
  text.cookie = "session=";
  for (int digit = 0; digit < 64; ++digit) text.cookie += "0123456789abcdef"[random() % 16];
  return text;
}

void submit_request(nghttp2_session* client, const ClientText& text, bool open) {
  std::vector<nghttp2_nv> fields{field(":method", open ? "POST" : "GET"), field(":scheme", "http"),
                                 field(":authority", "127.0.0.1:9501"),   field(":path", "/hello"),
                                 field("user-agent", text.user_agent),    field("accept-encoding", "gzip")};
  if (!text.cookie.empty()) fields.push_back(field("cookie", text.cookie));
  nghttp2_data_provider deferred{
      .source = {},
      .read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t, std::uint32_t*,
                          nghttp2_data_source*, void*) -> ssize_t { return NGHTTP2_ERR_DEFERRED; }};
  want(nghttp2_submit_request(client, nullptr, fields.data(), fields.size(), open ? &deferred : nullptr,
                              nullptr) > 0,
       "nghttp2_submit_request");
}

}  // namespace

std::vector<std::string> record_client(const ClientKind& kind, std::mt19937& random) {
  const ClientText text = text_of(kind, random);
  const SessionPointer client = new_session(true);
  const SessionPointer server = new_session(false);
  submit_server_settings(server.get());
  const std::array<nghttp2_settings_entry, 2> settings{
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, text.window}}};
  nghttp2_submit_settings(client.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(client.get(), NGHTTP2_FLAG_NONE, 0, 1 << 30);

  std::vector<std::string> writes;
  const auto exchange = [&] {
    for (std::string sent = send_all(client.get()); !sent.empty(); sent = send_all(client.get())) {
      receive_all(server.get(), sent);
      receive_all(client.get(), send_all(server.get()));
      writes.push_back(std::move(sent));
    }
  };
  for (int request = 0; request < kind.requests; ++request) {
    submit_request(client.get(), text, kind.leaves_streams_open && request + 1 == kind.requests);
    exchange();
  }
  for (int ping = 0; ping < kind.pings; ++ping) {
    nghttp2_submit_ping(client.get(), NGHTTP2_FLAG_NONE, nullptr);
    exchange();
  }
  return writes;
}

std::string concatenated(const std::vector<std::string>& writes) {
  std::string all;
  for (const std::string& write : writes) all += write;
  return all;
}

SlotSession::SlotSession(SlotHeap& heap) {
  nghttp2_mem memory = functions_of(heap);
  want(nghttp2_session_server_new3(&session_, tables().callbacks, this, tables().option, &memory) == 0,
       "nghttp2_session_server_new3");
  submit_server_settings(session_);
}

SlotSession& SlotSession::make(SlotHeap& heap) {
  auto* session = new (heap.allocate(sizeof(SlotSession), alignof(SlotSession))) SlotSession(heap);
  heap.set_root(session);
  return *session;
}

void SlotSession::end(SlotHeap& heap) {
  SlotSession& session = in(heap);
  nghttp2_session_del(session.session_);
  heap.deallocate(&session, sizeof session, alignof(SlotSession));
  heap.set_root(nullptr);
}

std::string SlotSession::feed(std::string_view bytes) {
  receive_all(session_, bytes);
  return send_all(session_);
}

std::string SlotSession::output() { return send_all(session_); }

}  // namespace h2park::freezer::test
