#include "support/handler_rig.hpp"

#include <algorithm>
#include <memory_resource>

namespace h2park::test {
namespace {

std::string_view find_in(const std::vector<std::pair<std::string, std::string>>& list,
                         std::string_view name) {
  const auto found = std::ranges::find(list, name, &std::pair<std::string, std::string>::first);
  return found == list.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::pair<std::string, std::string>> copy_of(const http::Fields& fields) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const http::Field field : fields) list.emplace_back(field.name, field.value);
  return list;
}

}  // namespace

std::string_view Answer::field(std::string_view name) const { return find_in(fields, name); }
std::string_view Answer::trailer(std::string_view name) const { return find_in(trailers, name); }

HandlerRig::HandlerRig(http::Handler handler) : driver(std::move(handler)) {}

HandlerRig::~HandlerRig() { end_exchange(); }

void HandlerRig::end_exchange() {
  if (http::Exchange* open = exchange()) {
    open->abandon();
    driver.run_ready();
  }
  driver.drop_all();
}

void HandlerRig::start(std::string_view method, std::string_view target, FieldList fields,
                       std::optional<std::uint64_t> content_length) {
  end_exchange();
  answer_ = {};
  body_wanted_calls = 0;
  body_bytes_consumed = 0;
  auto* memory = std::pmr::new_delete_resource();
  http::ExchangePort& port = *this;
  http::ExchangeHost& host = driver;
  auto* fresh =
      std::pmr::polymorphic_allocator<>(memory).new_object<http::Exchange>(memory, port, host, driver.budget);
  http::RequestHead& head = fresh->request();
  head.version = version;
  head.method = method;
  head.scheme = "http";
  head.authority = "localhost:8080";
  head.target = target;
  for (const auto& [name, value] : fields) head.fields.add(name, value);
  head.content_length = content_length;
  fresh->number = ++requests_;
  fresh->stream_id = static_cast<std::int32_t>(2 * requests_ - 1);
  fresh->started = driver.now();
  if (method == "GET" || method == "HEAD" || method == "OPTIONS") {
    head.content_length = 0;
    fresh->deliver_end();
  }
  driver.start(*fresh);
  settle();
}

const Answer& HandlerRig::ask(std::string_view method, std::string_view target, FieldList fields,
                              std::optional<std::string_view> body, bool known_length) {
  const bool has_body = body.has_value();
  std::optional<std::uint64_t> length;
  if (known_length) length = has_body ? body->size() : 0;
  start(method, target, fields, length);
  if (has_body) send(*body);
  if (exchange() != nullptr && !exchange()->request_ended()) finish();
  return answer_;
}

void HandlerRig::send(std::string_view piece) {
  if (exchange() == nullptr || exchange()->abandoned()) return;
  exchange()->deliver(piece);
  settle();
}

void HandlerRig::finish() {
  if (exchange() == nullptr || exchange()->abandoned()) return;
  exchange()->deliver_end();
  settle();
}

void HandlerRig::advance(Duration by) {
  driver.advance(by);
  settle();
}

void HandlerRig::vanish() {
  exchange()->abandon();
  driver.run_ready();
}

void HandlerRig::release() {
  holding_ = false;
  settle();
}

std::size_t HandlerRig::take(std::size_t bytes) {
  http::Exchange* open = exchange();
  if (open == nullptr || open->abandoned() || !answer_.head || open->outbound_bytes() == 0) return 0;
  std::string room(std::min<std::uint64_t>(bytes, open->outbound_bytes()), '\0');
  const std::size_t taken = open->take(room);
  if (taken == 0 && !room.empty()) {
    answer_.source_failed = true;
    open->abandon();
    return 0;
  }
  answer_.body_bytes += taken;
  if (keep_body) answer_.body.append(room, 0, taken);
  return taken;
}

void HandlerRig::settle() {
  constexpr std::size_t kFrame = 16 * 1024;
  for (bool moved = true; moved;) {
    moved = driver.run_ready() > 0;
    while (!holding_ && take(kFrame) > 0) moved = true;
  }
  http::Exchange* open = exchange();
  if (open == nullptr || open->abandoned() || !answer_.head || !open->outbound_done()) return;
  answer_.ended = true;
  answer_.trailers = copy_of(open->response_trailers());
}

void HandlerRig::send_informational(http::Exchange&, unsigned status, const http::Fields& fields) {
  answer_.informational.emplace_back(status, fields.empty() ? std::string() : std::string(fields[0].value));
}

void HandlerRig::response_ready(http::Exchange& exchange) {
  const http::ResponseHead& head = exchange.response();
  answer_.head = true;
  answer_.status = head.status;
  answer_.content_length = head.content_length;
  answer_.fields = copy_of(head.fields);
  exchange.head_sent();
}

void HandlerRig::body_ready(http::Exchange&) {}

void HandlerRig::reset(http::Exchange& exchange, http::ResetReason reason) {
  answer_.reset = reason;
  exchange.abandon();
}

}  // namespace h2park::test
