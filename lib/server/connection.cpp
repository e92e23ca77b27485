#include "server/connection.hpp"

#include "base/log.hpp"
#include "http1/server_session.hpp"
#include "http2/session_factory.hpp"
#include "net/socket_address.hpp"
#include "server/deadlines.hpp"
#include "server/gate.hpp"
#include "server/lot.hpp"
#include "tls/server_transport.hpp"

#include <poll.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::server {
namespace {

// One connection may read this much per turn; then the others have theirs. The lot is level-triggered, so the
// rest is announced again.
constexpr int kReadsPerTurn = 4;

// A client that was refused may go on sending for a while before it sees the answer. What it sends within the
// linger time is thrown away, up to this much, which at loopback speed is reached before the time is.
constexpr std::size_t kLingerBytes = 64 * 1024 * 1024;

// The time that a connection of which nothing was heard yet gets when the server stops: the preface of a
// client that has just connected is on its way.
constexpr Duration kStopPrefaceTime = std::chrono::seconds(1);

// Nobody reads the socket, so that only an event of this kind can have come, if it was not an old one.
bool hung_up(int descriptor) {
  pollfd state{descriptor, 0, 0};
  return poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

struct Connection::NextEvent {
  Connection& connection;
  bool await_ready() const noexcept { return !connection.events_.empty(); }
  void await_suspend(std::coroutine_handle<> loop) const noexcept { connection.waiting_ = loop; }
  void await_resume() const noexcept {}
};

Connection::Connection(ConnectionContext& context, std::unique_ptr<net::Transport> transport,
                       tls::ServerTransport* tls, std::uint64_t number)
    : context_(context),
      tls_(tls),
      number_(number),
      transport_(std::move(transport)),
      exchanges_(context, *this),
      output_(context.memory),
      phase_(tls != nullptr ? Phase::kHandshake : Phase::kPreface) {
  const TimePoint now = context_.time.now();
  phase_deadline_ = now + (tls != nullptr ? context_.options.timeouts.handshake
                                          : context_.options.session.settings_timeout);
}

Connection::~Connection() = default;

bool Connection::open(ConnectionId id) {
  id_ = id;
  interest_ = Lot::kInput;
  if (const int error = context_.lot.add(descriptor(), id_, interest_); error != 0) {
    log::error(fmt::format("cannot watch a connection: {}", std::generic_category().message(error)));
    close(http::CloseReason::kError);
    return false;
  }
  update_gauges();
  return true;
}

Task<> Connection::serve() {
  for (;;) {
    turn(std::exchange(events_, {}));
    if (phase_ == Phase::kClosed || can_park(park_facts())) co_return;
    co_await NextEvent{*this};
  }
}

void Connection::notify(WakeSet reasons) {
  events_ |= reasons;
  if (waiting_) std::exchange(waiting_, nullptr).resume();
}

void Connection::poke(WakeReason reason) { context_.gate.send(id_, reason); }

ParkFacts Connection::park_facts() const {
  ParkFacts facts;
  facts.enabled = context_.options.parking.enabled;
  facts.at_rest = phase_ == Phase::kPreface || (phase_ == Phase::kServing && session_->can_park());
  facts.output_queued = !output_.empty();
  facts.input_unprocessed = !events_.empty() || (transport_ != nullptr && transport_->has_pending());
  facts.handlers_ready = exchanges_.has_ready();
  facts.stopping = context_.stop != StopPhase::kRunning;
  facts.send_registered = !context_.gate.registered(id_).empty();
  facts.rested_long_enough = rested();
  return facts;
}

bool Connection::rested() const {
  const Duration park_after = context_.options.parking.park_after;
  return park_after == Duration::zero() || context_.time.now() >= rest_since_ + park_after;
}

// ---- a turn

void Connection::turn(WakeSet reasons) {
  exchanges_.in_turn = true;
  if (reasons.bits() != WakeSet(WakeReason::kTimer).bits()) rest_since_ = context_.time.now();
  act_on_time();
  act_on_stop();
  const bool readable = reasons.has(WakeReason::kReadable);
  if (phase_ == Phase::kHandshake) continue_handshake();
  if (phase_ != Phase::kHandshake && phase_ != Phase::kClosed && (readable || transport_->has_pending()))
    read_input();
  if (readable && phase_ != Phase::kClosed && !wants_input() && hung_up(descriptor()))
    close(http::CloseReason::kClient);
  run_handlers_and_flush();
  settle();
  exchanges_.in_turn = false;
}

void Connection::act_on_time() {
  const TimePoint now = context_.time.now();
  if (now >= phase_deadline_) {
    phase_deadline_ = kNever;
    close(phase_ == Phase::kLingering ? close_reason_ : http::CloseReason::kTimeout);
  } else if (now >= write_deadline_) {
    // The peer takes nothing: a GOAWAY could not be written either.
    close(http::CloseReason::kTimeout);
  }
  if (phase_ == Phase::kServing && session_->deadline() <= now) session_->on_deadline(now);
  exchanges_.fire_sleeps(now);
}

void Connection::act_on_stop() {
  if (context_.stop == stop_seen_) return;
  stop_seen_ = context_.stop;
  const bool cancel = stop_seen_ == StopPhase::kCancel;
  switch (phase_) {
    case Phase::kHandshake:
    case Phase::kPreface:
      if (cancel) {
        close(http::CloseReason::kShutdown);
      } else if (phase_ == Phase::kPreface) {
        phase_deadline_ = std::min(phase_deadline_, context_.time.now() + kStopPrefaceTime);
      }
      break;
    case Phase::kServing:
      if (cancel) {
        cancel_session();
      } else {
        session_->begin_shutdown();
      }
      break;
    case Phase::kLingering:
      if (cancel) close(close_reason_);
      break;
    case Phase::kClosed:
      break;
  }
}

// The grace period is over: say so as far as the transport takes it, and go.
void Connection::cancel_session() {
  session_->cancel();
  flush();
  if (phase_ != Phase::kServing) return;
  transport_->shutdown_write();
  close(http::CloseReason::kShutdown);
}

void Connection::continue_handshake() {
  switch (transport_->handshake()) {
    case net::IoStatus::kOk:
      write_wanted_ = false;
      phase_deadline_ = kNever;
      begin_session(transport_->alpn() == "h2");
      break;
    case net::IoStatus::kWantRead:
      write_wanted_ = false;
      break;
    case net::IoStatus::kWantWrite:
      write_wanted_ = true;
      break;
    case net::IoStatus::kEof:
      close(http::CloseReason::kClient);
      break;
    case net::IoStatus::kError:
      if (log::enabled(log::Level::kDebug))
        log::debug(fmt::format("connection {}: TLS handshake: {}", number_, transport_->error_text()));
      close(http::CloseReason::kTls);
      break;
  }
}

void Connection::read_input() {
  bool more = true;
  for (int i = 0; i < kReadsPerTurn && more && wants_input(); ++i) read_once(more);
  // Decrypted bytes are not announced by the lot.
  if (more && wants_input() && transport_->has_pending()) poke(WakeReason::kReadable);
}

void Connection::read_once(bool& more) {
  const net::IoResult result = transport_->read(context_.read_buffer);
  switch (result.status) {
    case net::IoStatus::kOk:
      // A short read has emptied a plain socket. TLS gives one record at a time.
      more = result.bytes == context_.read_buffer.size() || transport_->secure();
      accept_input(context_.read_buffer.first(result.bytes));
      break;
    case net::IoStatus::kWantRead:
    case net::IoStatus::kWantWrite:
      more = false;
      break;
    case net::IoStatus::kEof:
      more = false;
      input_ended();
      break;
    case net::IoStatus::kError:
      more = false;
      close(http::CloseReason::kClient);
      break;
  }
}

void Connection::accept_input(std::span<const std::byte> bytes) {
  if (phase_ == Phase::kLingering) {
    lingered_ += bytes.size();
    if (lingered_ > kLingerBytes) close(close_reason_);
    return;
  }
  if (phase_ == Phase::kPreface) {
    const Preface::Verdict verdict = preface_.look(bytes);
    if (verdict == Preface::Verdict::kMore) return;
    begin_session(verdict == Preface::Verdict::kHttp2);
    if (!preface_.seen().empty()) session_->receive(preface_.seen());
  }
  if (phase_ != Phase::kServing) return;
  session_->receive(bytes);
  exchanges_.run_ready();  // first: a handler that has ended makes room for a new one
  start_requests();
}

bool Connection::start_requests() {
  bool some = false;
  while (http::Exchange* exchange = session_->next_request()) {
    exchanges_.start(*exchange);
    some = true;
  }
  return some;
}

void Connection::input_ended() {
  input_ended_ = true;
  if (phase_ == Phase::kServing) {
    session_->receive_eof();
  } else {
    close(phase_ == Phase::kLingering ? close_reason_ : http::CloseReason::kClient);
  }
}

void Connection::run_handlers_and_flush() {
  while (phase_ == Phase::kServing) {
    bool ran = exchanges_.run_ready();
    ran |= start_requests();  // in HTTP/1, a request that was waiting for the one before it
    const bool blocked = !flush();
    if (phase_ != Phase::kServing) break;
    if (ran) rest_since_ = context_.time.now();
    exchanges_.feed_starved(budget_);
    const bool output = exchanges_.take_output() && session_->has_output() && !blocked;
    if (!ran && !exchanges_.has_ready() && !output) break;
  }
  if (phase_ == Phase::kClosed) exchanges_.run_ready();  // a handler whose wait was not ours
}

// Returns false if the transport is full or dead.
bool Connection::flush() {
  const TimePoint stalled_at = context_.time.now() + context_.options.timeouts.write;
  if (!output_.empty()) {
    switch (output_.send(*transport_)) {
      case OutputQueue::Progress::kAll:
        write_deadline_ = kNever;
        break;
      case OutputQueue::Progress::kSome:
        write_deadline_ = stalled_at;
        return false;
      case OutputQueue::Progress::kNone:
        return false;
      case OutputQueue::Progress::kError:
        close(http::CloseReason::kClient);
        return false;
    }
  }
  if (!session_->has_output()) return true;
  Flush flush(*transport_, output_, context_.gather_buffer);
  session_->produce(flush);
  if (!flush.finish()) {
    close(http::CloseReason::kClient);
    return false;
  }
  if (output_.empty()) return true;
  write_deadline_ = stalled_at;
  return false;
}

void Connection::settle() {
  if (phase_ == Phase::kServing && session_->finished() && output_.empty() && !session_->has_output())
    finish();
  if (phase_ == Phase::kClosed) return;
  update_gauges();
  update_interest();
  update_deadline();
}

// ---- transitions

void Connection::begin_session(bool http2) {
  phase_ = Phase::kServing;
  phase_deadline_ = kNever;
  http2_ = http2;
  const bool secure = this->secure();
  if (http2) {
    session_ = context_.http2_sessions.make(context_.memory, exchanges_, budget_, secure);
    context_.counters.h2.add();
  } else {
    session_ =
        http1::make_server_session(context_.memory, context_.options.session, exchanges_, budget_, secure);
    context_.counters.h1.add();
  }
  if (context_.stop != StopPhase::kRunning) session_->begin_shutdown();
}

// The session has said its last word and it is sent.
void Connection::finish() {
  close_reason_ = session_->close_reason();
  const bool refused =
      close_reason_ == http::CloseReason::kProtocol || close_reason_ == http::CloseReason::kCalm;
  transport_->shutdown_write();
  // Closing with unread input resets the connection, and the client would lose what we said last (RFC
  // 9112 9.6).
  if (!input_ended_ && (session_->wants_lingering_close() || refused)) {
    phase_ = Phase::kLingering;
    phase_deadline_ = context_.time.now() + context_.options.timeouts.linger;
  } else {
    close(close_reason_);
  }
}

void Connection::close(http::CloseReason reason) {
  if (phase_ == Phase::kClosed) return;
  close_reason_ = reason;
  phase_ = Phase::kClosed;
  // Abandons the exchanges: handlers end their waits with "gone" in run_handlers_and_flush().
  if (session_ != nullptr) {
    (http2_ ? context_.counters.h2 : context_.counters.h1).subtract();
    session_.reset();
  }
  while (exchanges_.run_ready()) {
  }
  transport_.reset();
  update_gauges();
}

// ---- settling

bool Connection::wants_input() const {
  if (input_ended_) return false;
  switch (phase_) {
    case Phase::kHandshake:
    case Phase::kPreface:
    case Phase::kLingering:
      return true;
    case Phase::kServing:
      return session_->wants_input();
    case Phase::kClosed:
      return false;
  }
  return false;
}

void Connection::update_interest() {
  std::uint32_t interest = wants_input() ? std::uint32_t{Lot::kInput} : 0;
  if (!output_.empty() || write_wanted_) interest |= Lot::kOutput;
  if (interest == interest_) return;
  interest_ = interest;
  if (const int error = context_.lot.change(descriptor(), id_, interest_); error != 0) {
    log::error(fmt::format("cannot watch a connection: {}", std::generic_category().message(error)));
    close(http::CloseReason::kError);
  }
}

void Connection::update_deadline() {
  if (phase_ == Phase::kClosed) return;
  TimePoint due = std::min({phase_deadline_, write_deadline_, exchanges_.next_sleep()});
  if (phase_ == Phase::kServing) due = std::min(due, session_->deadline());
  if (context_.options.parking.enabled && !rested()) {
    due = std::min(due, rest_since_ + context_.options.parking.park_after);
  }
  context_.deadlines.set(id_.index, due);
}

void Connection::update_gauges() {
  auto& counters = context_.counters;
  const bool open = phase_ != Phase::kClosed;
  const auto streams = static_cast<std::uint32_t>(session_ != nullptr ? session_->open_streams() : 0);
  counters.streams_open.add(streams);
  counters.streams_open.subtract(std::exchange(counted_streams_, streams));
  const std::size_t buffered = open ? buffered_bytes() : 0;
  counters.buffer_bytes.add(buffered);
  counters.buffer_bytes.subtract(std::exchange(counted_buffered_, buffered));
  const bool idle = open && streams == 0;
  if (idle != counted_idle_) {
    counted_idle_ = idle;
    idle ? counters.idle.add() : counters.idle.subtract();
  }
}

// Unsent output, queued bodies and kept input.
std::size_t Connection::buffered_bytes() const {
  return output_.bytes() + budget_.queued + (session_ != nullptr ? session_->buffered_bytes() : 0);
}

std::string Connection::peer() const { return transport_ != nullptr ? net::peer_address(descriptor()) : "-"; }

http::TlsInfo Connection::tls() const { return transport_ != nullptr ? tls_->info() : http::TlsInfo{}; }

}  // namespace h2park::server
