#include "support/h2_routes.hpp"

#include <map>
#include <stdexcept>

namespace h2park::test {
namespace {

using http::Request;
using http::Responder;

std::size_t size_in_query(const Request& request) {
  const std::string_view query = request.head().query();
  const auto mark = query.find('=');
  return mark == std::string_view::npos ? 0 : std::stoul(std::string(query.substr(mark + 1)));
}

Task<> hello(Request&, Responder& response) { co_await response.send("text/plain", "hello\n"); }

Task<> echo(Request& request, Responder& response) {
  for (;;) {
    const http::Read piece = co_await request.read();
    if (!piece) co_return;
    if (piece->empty()) break;
    const bool open = co_await response.write(*piece);
    if (!open) co_return;
  }
  for (const http::Field field : request.trailers()) response.trailers().add(field.name, field.value);
  response.end();
}

Task<> upload(Request& request, Responder& response) {
  std::size_t total = 0;
  for (;;) {
    const http::Read piece = co_await request.read();
    if (!piece) co_return;
    if (piece->empty()) break;
    total += piece->size();
  }
  const std::string text = std::to_string(total);
  co_await response.send("text/plain", text);
}

Task<> bytes(Request& request, Responder& response) {
  const std::string body(size_in_query(request), 'b');
  co_await response.send("application/octet-stream", body);
}

Task<> stream(Request& request, Responder& response) {
  for (std::size_t i = 0; i < size_in_query(request); ++i) {
    const bool open = co_await response.write("piece\n");
    if (!open) co_return;
    const bool sent = co_await response.flush();
    if (!sent) co_return;
  }
  response.end();
}

Task<> wait(Request&, Responder& response) { co_await response.until_gone(); }

Task<> sleep(Request&, Responder& response) {
  const bool open = co_await response.sleep(std::chrono::seconds(5));
  if (!open) co_return;
  co_await response.send("text/plain", "awake\n");
}

/// Does not notice that the client has gone.
Task<> stubborn(Request&, Responder&) { co_await std::suspend_always(); }

Task<> trailers(Request&, Responder& response) {
  const bool open = co_await response.write("body");
  if (!open) co_return;
  response.trailers().add("grpc-status", "0");
  response.trailers().add("connection", "close");
  response.end();
}

Task<> only_trailers(Request&, Responder& response) {
  response.trailers().add("grpc-status", "5");
  response.end();
  co_return;
}

Task<> hints(Request&, Responder& response) {
  http::Fields links;
  links.add("link", "</style.css>; rel=preload");
  response.inform(103, links);
  response.inform(101, links);
  response.inform(103, links);
  co_await response.send("text/plain", "done");
}

Task<> status(Request& request, Responder& response) {
  response.status(static_cast<unsigned>(size_in_query(request)));
  co_await response.send("text/plain", "text");
}

Task<> ignore_body(Request&, Responder& response) {
  response.status(413);
  co_await response.send("text/plain", "too large\n");
}

Task<> fail(Request&, Responder&) {
  throw std::runtime_error("before the head");
  co_return;
}

Task<> fail_late(Request&, Responder& response) {
  const bool open = co_await response.write("half of it");
  if (!open) co_return;
  throw std::runtime_error("after the head");
}

Task<> rst(Request&, Responder& response) {
  response.reset(http::ResetReason::kCancel);
  co_return;
}

Task<> lie(Request& request, Responder& response) {
  response.content_length(10);
  const std::string body(request.head().query() == "less" ? 9 : 11, 'x');
  const bool open = co_await response.write(body);
  if (!open) co_return;
  response.end();
}

Task<> forbidden_fields(Request&, Responder& response) {
  for (const char* name :
       {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te"}) {
    response.fields().add(name, "x");
  }
  response.fields().add("split", "a\r\nset-cookie: b");
  response.fields().add(":status", "500");
  response.fields().add("allowed", "yes");
  co_await response.send("text/plain", "ok");
}

class Counted final : public http::BodySource {
 public:
  Counted(std::uint64_t bytes, std::uint64_t fails_at) : left_(bytes), fails_at_(fails_at) {}
  std::size_t read(std::span<char> room) override {
    if (left_ <= fails_at_) return 0;
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), left_));
    std::fill_n(room.data(), taken, 's');
    left_ -= taken;
    return taken;
  }
  std::uint64_t left() const override { return left_; }

 private:
  std::uint64_t left_;
  std::uint64_t fails_at_;
};

Task<> source(Request& request, Responder& response) {
  response.send_source(std::make_unique<Counted>(size_in_query(request), 0));
  co_return;
}

Task<> broken_source(Request&, Responder& response) {
  response.send_source(std::make_unique<Counted>(40'000, 20'000));
  co_return;
}

Task<> big_head(Request& request, Responder& response) {
  response.fields().add("x-big", std::string(size_in_query(request), 'h'));
  co_await response.send("text/plain", "ok");
}

Task<> head_without_end(Request&, Responder& response) {
  response.start();
  co_await response.until_gone();
}

/// What the session made of the request, one field per line.
Task<> info(Request& request, Responder& response) {
  const http::RequestHead& head = request.head();
  std::string text;
  for (const auto* part : {&head.method, &head.scheme, &head.authority, &head.target})
    text.append(*part) += '\n';
  text += head.content_length ? std::to_string(*head.content_length) : "unknown";
  text += '\n';
  for (const http::Field field : head.fields) text.append(field.name).append("=").append(field.value) += '\n';
  co_await response.send("text/plain", text);
}

using Route = Task<> (*)(Request&, Responder&);
const std::map<std::string_view, Route> kRoutes = {
    {"/hello", hello},
    {"/echo", echo},
    {"/upload", upload},
    {"/bytes", bytes},
    {"/stream", stream},
    {"/wait", wait},
    {"/sleep", sleep},
    {"/stubborn", stubborn},
    {"/trailers", trailers},
    {"/only-trailers", only_trailers},
    {"/hints", hints},
    {"/status", status},
    {"/ignore-body", ignore_body},
    {"/throw", fail},
    {"/throw-late", fail_late},
    {"/rst", rst},
    {"/lie", lie},
    {"/forbidden-fields", forbidden_fields},
    {"/source", source},
    {"/broken-source", broken_source},
    {"/big-head", big_head},
    {"/info", info},
    {"*", info},
    {"/open", head_without_end},
};

}  // namespace

http::Handler h2_routes() {
  return [](Request& request, Responder& response) -> Task<> {
    const auto route = kRoutes.find(request.path());
    return (route == kRoutes.end() ? info : route->second)(request, response);
  };
}

}  // namespace h2park::test
