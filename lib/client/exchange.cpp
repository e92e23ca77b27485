#include "client/exchange.hpp"

#include "client/cookie_jar.hpp"
#include "client/redirect.hpp"
#include "client/request_head.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::client {
namespace {

// A body up to this size goes into one write with the head, and so into one segment on most paths.
constexpr std::size_t kSmallBody = 16 * 1024;

}  // namespace

Exchange::Exchange(const ExchangeContext& context, const Request& request, Record& record)
    : context_(context), request_(request), record_(record) {
  record_.timings.begin = now();
  record_.failure.reset();
  record_.status = 0;
  record_.url = request_.url.text();
  record_.method = request_.method;
}

Task<> Exchange::run(OnDrained on_drained) {
  Result<std::string> head = request_head(request_, context_.options, context_.reactor.time().wall());
  if (!head) {
    fail(FailureKind::kBadUrl, head.error().message);
    on_drained({});
    co_return;
  }
  text_ = std::move(*head);
  const Want want{
      .origin = request_.url.origin, .traits = traits_of(request_), .deadline = context_.deadline};
  std::optional<Lease> lease = context_.pool.take_idle(want);
  for (;;) {
    if (!lease) {
      const Want again{want.origin, want.traits, !first_try_, want.deadline};
      std::expected<Lease, Failure> dialled = co_await context_.pool.wait_for(again);
      if (!dialled) {
        record_.proxy_status = dialled.error().proxy_status;
        fail(dialled.error().kind, std::move(dialled.error().message));
        break;
      }
      lease.emplace(std::move(*dialled));
    }
    note_connection(**lease);
    const Outcome outcome = co_await converse(**lease);
    record_.timings.end = now();
    Connection& connection = lease->release();
    lease.reset();
    if (outcome == Outcome::kAnswered) {
      connection.answered(unsent_ ? CloseReason::kRequestUnsent : close_asked(request_),
                          std::move(on_drained));
      co_return;
    }
    connection.close(outcome == Outcome::kStale ? CloseReason::kPeerClosed
                     : timed_out_               ? CloseReason::kTimedOut
                                                : CloseReason::kFailed);
    record_.drain.close = connection.close_reason();
    if (outcome != Outcome::kStale) break;
    first_try_ = false;
    stale_ = unsent_ = send_failed_ = continued_ = first_byte_ = false;
  }
  record_.timings.end = now();
  on_drained({.close = record_.drain.close});
}

void Exchange::note_connection(Connection& connection) {
  const bool reused = connection.requests() > 1;
  const TimePoint at = now();
  record_.connection = {.id = connection.id(),
                        .reused = reused,
                        .idle = reused ? at - connection.idle_since() : Duration::zero(),
                        .requests = connection.requests(),
                        .miss = reused ? MissReason{} : connection.why_dialled(),
                        .remote = connection.dialled().remote,
                        .local = connection.dialled().local,
                        .verify_result = connection.dialled().verify_result};
  if (!reused) {
    ++record_.connects;
    record_.proxy_status = connection.dialled().proxy_status;
  }
  Timings& times = record_.timings;
  const DialTimes& dial = connection.dialled().times;
  const bool own = !reused && dial.begin >= times.begin;
  times.resolved = own ? dial.resolved : times.begin;
  times.connected = own ? dial.connected : times.begin;
  times.secured = own ? dial.secured : times.begin;
  times.ready = times.sent = at;
  if (!context_.listener.wants_notes()) return;
  const std::string remote = connection.dialled().remote;
  context_.listener.on_note(reused ? fmt::format("Re-using connection {} to {}", connection.id(), remote)
                                   : connection.dialled().notes);
}

Task<Exchange::Outcome> Exchange::converse(Connection& connection) {
  const bool waits = expects_continue(request_);
  const std::string_view body = request_.body ? std::string_view(*request_.body) : std::string_view();
  context_.listener.on_request(text_);
  record_.request_bytes += text_.size();
  const bool together = !waits && !body.empty() && body.size() <= kSmallBody;
  if (together) text_.append(body);
  bool going = co_await send(connection, text_);
  if (together) text_.resize(text_.size() - body.size());
  if (going && waits) {
    co_await await_continue(connection);
    // A final response instead of 100: the server does not want the body (RFC 9110 10.1.1).
    going = connection.reader().state() == http1::ResponseReader::State::kHead && !timed_out_;
    unsent_ = !going;
  }
  if (going && !together && !body.empty()) going = co_await send(connection, body);
  if (going) record_.upload_bytes = body.size();
  if (timed_out_) co_return late(connection);
  record_.timings.sent = now();
  const Outcome outcome = co_await read_response(connection);
  co_return outcome;
}

// False: no more is to be sent.
Task<bool> Exchange::send(Connection& connection, std::string_view bytes) {
  for (;;) {
    while (!bytes.empty()) {
      const Connection::Io io = connection.send(bytes);
      if (io == Connection::Io::kWait) break;
      if (io == Connection::Io::kProgress) continue;
      // There may be a response all the same, and it says why (RFC 9112 9.5).
      send_failed_ = unsent_ = true;
      co_return false;
    }
    if (bytes.empty()) co_return true;
    const Connection::Ready ready = co_await connection.wait(true, context_.deadline);
    timed_out_ = ready == Connection::Ready::kDeadline;
    if (timed_out_) co_return false;
    if (receive_early(connection)) {
      unsent_ = true;
      co_return false;
    }
  }
}

// Whether the server has answered, or gone, before it has all of the request.
bool Exchange::receive_early(Connection& connection) {
  const Connection::Io io = receive(connection);
  return io == Connection::Io::kEof || io == Connection::Io::kError ||
         connection.reader().state() != http1::ResponseReader::State::kHead;
}

Task<> Exchange::await_continue(Connection& connection) {
  const TimePoint until = std::min(context_.deadline, now() + context_.options.expect_timeout);
  while (!continued_ && !receive_early(connection)) {
    if (continued_) co_return;
    const Connection::Ready ready = co_await connection.wait(false, until);
    if (ready != Connection::Ready::kDeadline) continue;
    timed_out_ = until == context_.deadline;
    co_return;
  }
}

// Reads the head, or what there is of it.
Connection::Io Exchange::receive(Connection& connection) {
  informed_ = false;
  const Connection::Io io = connection.receive(*this, 0);
  const bool only_informed = informed_ &&
                             connection.reader().state() == http1::ResponseReader::State::kHead &&
                             !connection.has_unread();
  if (io == Connection::Io::kProgress && !first_byte_ && !only_informed) {
    first_byte_ = true;
    record_.timings.first_byte = now();
  }
  return io;
}

Task<Exchange::Outcome> Exchange::read_response(Connection& connection) {
  using State = http1::ResponseReader::State;
  const http1::ResponseReader& reader = connection.reader();
  // Right after a request nothing can be there yet; asking would only cost a system call.
  bool ask = unsent_ || connection.has_input();
  while (reader.state() == State::kHead) {
    if (ask) {
      const Connection::Io io = receive(connection);
      if (reader.state() == State::kFailed && io != Connection::Io::kEof) co_return broken(connection);
      if (io == Connection::Io::kEof || io == Connection::Io::kError) co_return lost(connection, io);
      ask = connection.has_input();
      if (io == Connection::Io::kProgress) continue;
    }
    const Connection::Ready ready = co_await connection.wait(false, context_.deadline);
    if (ready == Connection::Ready::kDeadline) co_return late(connection);
    ask = true;
  }
  if (stale_) co_return Outcome::kStale;
  if (reader.state() == State::kFailed) co_return broken(connection);
  const Outcome outcome = co_await read_body(connection);
  co_return outcome;
}

Task<Exchange::Outcome> Exchange::read_body(Connection& connection) {
  using State = http1::ResponseReader::State;
  const http1::ResponseReader& reader = connection.reader();
  wanted_ = location_ || refuses_expect_ ? 0 : request_.read_limit;
  while (reader.state() == State::kBody && wanted_ > 0) {
    const Connection::Io io = connection.receive(*this, wanted_);
    if (reader.state() == State::kFailed && io != Connection::Io::kEof) co_return broken(connection);
    if (io == Connection::Io::kError) co_return lost(connection, io);
    if (io == Connection::Io::kEof) {
      if (reader.state() == State::kComplete && !connection.transport().truncated()) break;
      co_return lost(connection, io);
    }
    if (io == Connection::Io::kProgress && (reader.state() != State::kBody || connection.has_input()))
      continue;
    const Connection::Ready ready = co_await connection.wait(false, context_.deadline);
    if (ready == Connection::Ready::kDeadline) co_return late(connection);
  }
  co_return Outcome::kAnswered;
}

void Exchange::store_cookies(const http1::ResponseHead& head) {
  if (context_.options.cookies == nullptr) return;
  for (const auto& [name, value] : head.fields) {
    if (name == "set-cookie")
      context_.options.cookies->store(request_.url, value, context_.reactor.time().wall());
  }
}

void Exchange::on_informational(const http1::ResponseHead& head) {
  informed_ = true;
  first_byte_ = false;
  record_.head_bytes += head.text.size();
  if (head.status == 100) continued_ = true;
  context_.listener.on_informational(head);
}

void Exchange::on_head(const http1::ResponseHead& head) {
  if (head.status == 408 && record_.connection.reused && first_try_ && is_idempotent(request_.method)) {
    stale_ = true;
    return;
  }
  store_cookies(head);
  record_.status = head.status;
  record_.version = head.version;
  record_.head_bytes += head.text.size();
  record_.content_type = head.fields.find("content-type").value_or("");
  retry_after_ = head.fields.find("retry-after").value_or("");
  auto location = is_redirect(head.status) ? head.fields.find("location") : std::nullopt;
  if (location && location->empty()) location.reset();  // it would lead here again
  if (location && context_.follows_redirects) location_ = *location;
  if (location && !context_.follows_redirects) {
    const Result<Url> target = resolve_url(request_.url, *location);
    record_.redirect_url = target ? target->text() : std::string(*location);
  }
  refuses_expect_ = head.status == 417 && expects_continue(request_);
  context_.listener.on_head(head, location_ || refuses_expect_);
}

void Exchange::on_body(std::string_view bytes) {
  wanted_ -= bytes.size();
  record_.body_bytes += bytes.size();
  context_.listener.on_body(bytes);
}

void Exchange::on_trailer(std::string_view name, std::string_view value) {
  context_.listener.on_trailer(name, value);
}

}  // namespace h2park::client
