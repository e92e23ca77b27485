#include "server/sample_connections.hpp"

#include "handlers/routes.hpp"
#include "server/worker.hpp"
#include "tls/self_client.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace h2park::server {
namespace {

// Kinds of clients that differ in what they send; their text only has to differ, not to be true to the
// letter.
struct Sample {
  std::string_view path;
  std::string_view user_agent;
  std::string_view accept;
  std::string_view cookie;
  std::uint32_t stream_window;
  std::int32_t connection_window;
  int requests;
};
// Stays open: as long as it does, the frames of its handler are part of its connection.
constexpr std::string_view kEventStream = "/events?interval=30s";

constexpr std::array kSamples{
    Sample{"/", "curl/7.88.1", "gzip", "", 65'535, 65'535, 1},
    Sample{"/", "Go-http-client/2.0", "gzip", "", 4 << 20, 1 << 30, 1},
    Sample{"/", "Go-http-client/2.0", "gzip", "session=2f9d1c07a86be345", 4 << 20, 1 << 30, 2},
    Sample{
        "/",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
        "gzip, deflate, br", "session=0123456789abcdef0123456789abcdef; theme=dark", 6 << 20, 15 << 20, 1},
    Sample{"/", "node", "gzip", "", 65'535, 1 << 20, 2},
    Sample{"/", "okhttp/4.12.0", "gzip", "token=c0ffee00c0ffee00c0ffee00c0ffee00", 16 << 20, 16 << 20, 1},
    Sample{"/", "grpc-c++/1.62", "identity", "", 1 << 20, 8 << 20, 2},
    Sample{kEventStream, "Go-http-client/2.0", "gzip", "", 4 << 20, 1 << 30, 1},
};

constexpr std::string_view kHttp1Request =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";

// What TLS clients agree with us upon. Dead secrets and counters differ, of course: the rest is what is
// learnt.
constexpr std::array<tls::SelfClientOptions, 5> kTls{{
    {.suites = "TLS_AES_256_GCM_SHA384"},
    {.suites = "TLS_AES_128_GCM_SHA256"},
    {.suites = "TLS_CHACHA20_POLY1305_SHA256"},
    {.tls13 = false, .suites = "ECDHE+AESGCM"},
    {.groups = "P-256"},
}};

// Flights of a handshake, with room to spare.
constexpr int kMostFlights = 6;

// A few turns are enough to answer; the rest is margin.
constexpr int kTurns = 8;

Task<> answer(http::Request&, http::Responder& responder) {
  responder.fields().add("content-type", "text/plain; charset=utf-8");
  responder.content_length(6);
  responder.start();
  co_await responder.write("hello\n");
}

/// Answers sample requests for a while: the event stream as the server does, but without an access log.
class SampleHandler {
 public:
  explicit SampleHandler(ConnectionContext& context)
      : context_(context), before_(std::exchange(context.handler, &handler_)) {
    if (auto routes = handlers::make_handler(context.options.handlers, nullptr)) routes_ = std::move(*routes);
  }
  ~SampleHandler() { context_.handler = before_; }

 private:
  const http::Handler handler_ = [this](http::Request& request, http::Responder& responder) {
    const bool events = routes_ && request.path() == "/events";
    return events ? routes_(request, responder) : answer(request, responder);
  };
  http::Handler routes_;
  ConnectionContext& context_;
  const http::Handler* before_;
};

}  // namespace

struct SampleConnections::Client {
  net::UniqueFd socket;
  std::unique_ptr<tls::SelfClient> tls;  // null: plain
};

SampleConnections::SampleConnections(Worker& worker, ConnectionContext& context, tls::ServerContext* tls)
    : worker_(worker), context_(context), tls_(tls) {}

SampleConnections::~SampleConnections() = default;

Result<> SampleConnections::teach() {
  const SampleHandler handler(context_);
  worker_.bind();
  worker_.freezing().pause(kind());
  Result<> done = play_all();
  if (done) done = build();
  clients_.clear();
  settle();
  if (done && !worker_.empty()) return fail("a sample connection did not close");
  return done;
}

Freezing::Kind SampleConnections::kind() const {
  return tls_ == nullptr ? Freezing::Kind::kPlain : Freezing::Kind::kTls;
}

// As many as the worker may have.
Result<> SampleConnections::play_all() {
  const std::string server = authority();  // the clients only look at it
  for (const Sample& sample : kSamples) {
    if (worker_.connections() == context_.options.max_connections) return {};
    const http2::SampleClient client{
        server,        sample.path,          sample.user_agent,       sample.accept,
        sample.cookie, sample.stream_window, sample.connection_window};
    if (auto done = play(client, sample.requests); !done) return done;
  }
  if (worker_.connections() == context_.options.max_connections) return {};
  if (auto done = connect(kHttp1Request, false); !done) return done;
  settle();
  return {};
}

// What a client without a name for this server sends.
std::string SampleConnections::authority() const {
  const auto& listen = context_.options.listen;
  return listen.empty() || listen.front().is_unix() ? "localhost" : listen.front().text();
}

Result<> SampleConnections::play(const http2::SampleClient& client, int requests) {
  const http2::SampleBytes bytes = http2::sample_client_bytes(client);
  if (auto done = connect(bytes.opening, true); !done) return done;
  settle();
  if (auto done = write(http2::kSampleSettingsAck); !done) return done;
  settle();
  if (requests == 1) return {};
  if (auto done = write(bytes.next_request); !done) return done;
  settle();
  return {};
}

void SampleConnections::settle() {
  for (int i = 0; i < kTurns; ++i) worker_.turn();
}

Result<> SampleConnections::connect(std::string_view bytes, bool http2) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    return system_failure("cannot make a sample connection", errno);
  }
  clients_.emplace_back(net::UniqueFd(ends[1]), nullptr);
  if (!worker_.adopt(net::UniqueFd(ends[0]), tls_)) return fail("cannot make a sample connection");
  if (tls_ != nullptr) {
    if (auto done = shake_hands(http2); !done) return done;
  }
  return write(bytes);
}

Result<> SampleConnections::shake_hands(bool http2) {
  tls::SelfClientOptions options = kTls[(clients_.size() - 1) % kTls.size()];
  options.protocols = http2 ? "h2" : "http/1.1";
  Client& client = clients_.back();
  try {
    client.tls = std::make_unique<tls::SelfClient>(options);
    client.tls->use_socket(client.socket.get());
  } catch (const std::bad_alloc&) {
    return fail("cannot make a sample connection over TLS");
  }
  for (int i = 0; i < kMostFlights && client.tls->step(); ++i) settle();
  if (!client.tls->done()) return fail("a sample connection over TLS was refused");
  client.tls->read();
  return {};
}

Result<> SampleConnections::write(std::string_view bytes) {
  const Client& client = clients_.back();
  if (client.tls != nullptr) {
    if (!client.tls->write(bytes)) return fail("cannot use a sample connection over TLS");
    return {};
  }
  const ssize_t sent = send(client.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(bytes.size()))
    return system_failure("cannot use a sample connection", errno);
  return {};
}

Result<> SampleConnections::build() {
  std::vector<Ticket*> parked;
  std::vector<freezer::SlotHeap*> slots;
  worker_.tickets().for_each([&](ConnectionId, Ticket& ticket) {
    freezer::SlotHeap* slot = worker_.freezing().slot_of(ticket);
    if (slot == nullptr || !ticket.parked) return;
    parked.push_back(&ticket);
    slots.push_back(slot);
  });
  auto dictionary = worker_.freezing().build_dictionary(kind(), slots);
  if (!dictionary) return std::unexpected(dictionary.error());
  if (auto done = worker_.freezing().use(kind(), std::move(*dictionary)); !done) return done;
  // The packer's memory gets its pages now, and not with the first client that is idle.
  for (Ticket* ticket : parked) worker_.freezing().freeze(*ticket);
  for (Ticket* ticket : parked) {
    if (worker_.freezing().frozen(*ticket) && !worker_.freezing().thaw(*ticket))
      return fail("a sample connection did not survive freezing");
  }
  return {};
}

}  // namespace h2park::server
