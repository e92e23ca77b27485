#include "client/connection.hpp"

#include <cassert>
#include <utility>

namespace h2park::client {
namespace {

// Whether the state machine above has this arrow.
constexpr bool leads_to(ConnectionState from, ConnectionState to) {
  using enum ConnectionState;
  switch (from) {
    case kDialling:
      return to == kIdle || to == kClosed;
    case kIdle:
      return to == kBusy || to == kClosed;
    case kBusy:
      return to == kIdle || to == kDraining || to == kClosed;
    case kDraining:
      return to == kIdle || to == kClosed;
    case kClosed:
      return false;
  }
  return false;
}

// A server that says timeout=N counts from when it sent the response, and we from when we got it; a request
// must not meet its close on the way.
constexpr std::chrono::seconds kKeepAliveMargin{1};

// Some servers send a line end too many after a body; it is no response (RFC 9112 2.2 has it of clients).
bool is_line_end(std::string_view bytes) { return bytes == "\r\n" || bytes == "\n"; }

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Connection::Connection(const ConnectionShared& shared, MissReason why_dialled)
    : shared_(shared), why_dialled_(why_dialled), timer_(shared.reactor.timers(), [this] { on_due(); }) {}

Connection::~Connection() = default;

void Connection::move_to(ConnectionState next) {
  assert(leads_to(state_, next));
  const ConnectionState before = std::exchange(state_, next);
  shared_.owner.on_state(*this, before, next);
}

void Connection::opened(std::uint64_t id, Dialled dialled) {
  id_ = id;
  dialled_ = std::move(dialled);
  watch_ = shared_.reactor.watch(dialled_.transport->descriptor(), *this);
  rest();
}

void Connection::take(const http1::RequestTraits& traits) {
  ++requests_;
  unread_.clear();
  hungry_ = false;
  reader_.begin(traits);
  timer_.clear();
  move_to(ConnectionState::kBusy);
}

void Connection::close(CloseReason reason) {
  if (state_ == ConnectionState::kClosed) return;
  close_reason_ = reason;
  timer_.clear();
  watch_.reset();
  drain_.reset();
  if (dialled_.transport) dialled_.transport->shutdown_write();
  dialled_.transport.reset();
  move_to(ConnectionState::kClosed);
}

Connection::Io Connection::send(std::string_view& bytes) {
  const net::IoResult sent = transport().write(std::as_bytes(std::span(bytes)));
  switch (sent.status) {
    case net::IoStatus::kOk:
      bytes.remove_prefix(sent.bytes);
      return Io::kProgress;
    case net::IoStatus::kWantRead:
    case net::IoStatus::kWantWrite:
      return Io::kWait;
    case net::IoStatus::kEof:
    case net::IoStatus::kError:
      break;
  }
  return Io::kError;
}

// True if the reader made something of the bytes that wait here.
bool Connection::show_unread(http1::ResponseSink& sink, std::uint64_t room) {
  const auto before = reader_.state();
  const std::size_t taken = reader_.take(unread_, room, sink);
  unread_.erase(0, taken);
  hungry_ = taken == 0 && reader_.state() == before;
  return !hungry_;
}

Connection::Io Connection::receive(http1::ResponseSink& sink, std::uint64_t room) {
  if (!unread_.empty() && !hungry_ && show_unread(sink, room)) return Io::kProgress;
  const net::IoResult got = transport().read(shared_.read_buffer);
  switch (got.status) {
    case net::IoStatus::kWantRead:
    case net::IoStatus::kWantWrite:
      return Io::kWait;
    case net::IoStatus::kError:
      return Io::kError;
    case net::IoStatus::kEof:
      if (reader_.state() == http1::ResponseReader::State::kBody) lacking_ = reader_.body_left();
      reader_.end_of_input(unread_);
      return Io::kEof;
    case net::IoStatus::kOk:
      break;
  }
  const std::string_view input = as_text(shared_.read_buffer.first(got.bytes));
  if (!unread_.empty()) {
    unread_.append(input);
    show_unread(sink, room);
  } else {
    const auto before = reader_.state();
    const std::size_t taken = reader_.take(input, room, sink);
    unread_.assign(input.substr(taken));
    hungry_ = taken == 0 && reader_.state() == before;
  }
  return Io::kProgress;
}

bool Connection::has_input() const {
  return (!unread_.empty() && !hungry_) || dialled_.transport->has_pending();
}

Connection::Wait Connection::wait(bool for_write, TimePoint deadline) { return {*this, for_write, deadline}; }

void Connection::Wait::await_suspend(std::coroutine_handle<> waiting) {
  suspended_ = true;
  connection_.waiting_ = waiting;
  connection_.timer_.set(deadline_);
  connection_.watch_->want_read();
  if (for_write_) connection_.watch_->want_write();
}

void Connection::resume(Ready ready) {
  if (!waiting_) return;
  ready_ = ready;
  std::exchange(waiting_, {}).resume();
}

void Connection::answered(CloseReason forced, OnDrained on_drained) {
  on_drained_ = std::move(on_drained);
  drain_.emplace(shared_.options.drain, shared_.reactor.time().now());
  std::optional<DrainEnd> end = drain_->judge(reader_, forced);
  if (!end) end = drain_->advance(*this);
  if (end) return end_drain(*end);
  timer_.set(drain_->deadline());
  watch_->want_read();
  move_to(ConnectionState::kDraining);
}

void Connection::cut_drain() { end_drain({drain_->timed_out().result, CloseReason::kDone}); }

void Connection::end_drain(DrainEnd end) {
  if (end.close == CloseReason::kNone) end.close = judge_rest();
  const DrainFacts facts{.result = end.result,
                         .close = end.close,
                         .bytes = drain_->bytes(),
                         .time = shared_.reactor.time().now() - drain_->begin()};
  OnDrained tell = std::move(on_drained_);
  drain_.reset();
  if (end.close == CloseReason::kNone) {
    rest();
  } else {
    close(end.close);
  }
  tell(facts);
}

// Why a connection whose response is complete cannot be kept all the same.
CloseReason Connection::judge_rest() const {
  if (!unread_.empty() && !is_line_end(unread_)) return CloseReason::kUnsolicitedData;
  if (reader_.keep_alive_max() == 0U) return CloseReason::kKeepAliveMax;
  if (reader_.keep_alive_timeout() == std::chrono::seconds(0)) return CloseReason::kKeepAliveTimeout;
  return CloseReason::kNone;
}

TimePoint Connection::idle_deadline() const {
  const Duration configured = shared_.options.pool.idle_timeout;
  // Far enough away not to overflow the clock.
  Duration keep = std::min<Duration>(configured, std::chrono::years(10));
  if (requests_ > 0) {
    if (const auto hint = reader_.keep_alive_timeout()) {
      const Duration asked = std::min<Duration>(*hint, std::chrono::years(10));
      keep = std::min(keep, std::max<Duration>(asked - kKeepAliveMargin, asked / 2));
    }
  }
  return idle_since_ + keep;
}

void Connection::rest() {
  idle_since_ = shared_.reactor.time().now();
  timer_.set(idle_deadline());
  watch_->want_read();
  move_to(ConnectionState::kIdle);
}

// An idle connection has nothing to say (RFC 9112 9.2).
bool Connection::is_quiet() {
  for (;;) {
    const net::IoResult got = transport().read(shared_.read_buffer);
    switch (got.status) {
      case net::IoStatus::kWantRead:
      case net::IoStatus::kWantWrite:
        return true;
      case net::IoStatus::kEof:
      case net::IoStatus::kError:
        close(CloseReason::kPeerClosed);
        return false;
      case net::IoStatus::kOk:
        break;
    }
    if (!is_line_end(as_text(shared_.read_buffer.first(got.bytes)))) {
      close(CloseReason::kUnsolicitedData);
      return false;
    }
  }
}

void Connection::on_readable() {
  switch (state_) {
    case ConnectionState::kBusy:
      return resume(Ready::kIo);
    case ConnectionState::kIdle:
      if (is_quiet()) watch_->want_read();
      return;
    case ConnectionState::kDraining:
      if (const auto end = drain_->advance(*this)) return end_drain(*end);
      watch_->want_read();
      return;
    case ConnectionState::kDialling:
    case ConnectionState::kClosed:
      return;
  }
}

void Connection::on_writable() {
  if (state_ == ConnectionState::kBusy) resume(Ready::kIo);
}

void Connection::on_due() {
  switch (state_) {
    case ConnectionState::kBusy:
      return resume(Ready::kDeadline);
    case ConnectionState::kDraining:
      return end_drain(drain_->timed_out());
    case ConnectionState::kIdle: {
      const bool hinted = idle_deadline() < idle_since_ + shared_.options.pool.idle_timeout;
      return close(hinted ? CloseReason::kKeepAliveTimeout : CloseReason::kIdleTimeout);
    }
    case ConnectionState::kDialling:
    case ConnectionState::kClosed:
      return;
  }
}

}  // namespace h2park::client
