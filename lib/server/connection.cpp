#include "server/connection.hpp"

#include "base/log.hpp"
#include "net/socket_address.hpp"
#include "server/gate.hpp"
#include "server/lot.hpp"

#include <poll.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::server {
namespace {

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

Connection::Connection(ConnectionContext& context, std::pmr::memory_resource* memory, net::UniqueFd socket,
                       tls::ServerContext* tls, std::uint64_t number)
    : context_(context),
      memory_(memory),
      number_(number),
      exchanges_(context, memory, *this),
      output_(memory),
      phase_(tls != nullptr ? Phase::kHandshake : Phase::kPreface),
      secure_(tls != nullptr) {
  if (tls != nullptr) {
    transport_ = &socket_.emplace<tls::ServerTransport>(*tls, std::move(socket));
  } else {
    transport_ = &socket_.emplace<net::PlainTransport>(std::move(socket));
  }
  const Options& options = context_.options;
  phase_deadline_ =
      context_.time.now() + (secure_ ? options.timeouts.handshake : options.session.settings_timeout);
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

// Without --park-after nobody asks, and the time would only make images differ.
void Connection::note_work() {
  if (context_.options.parking.park_after != Duration::zero()) rest_since_ = context_.time.now();
}

bool Connection::rested() const {
  const Duration park_after = context_.options.parking.park_after;
  return park_after == Duration::zero() || context_.time.now() >= rest_since_ + park_after;
}

// ---- a turn

void Connection::turn(WakeSet reasons) {
  exchanges_.in_turn = true;
  if (reasons.bits() != WakeSet(WakeReason::kTimer).bits()) note_work();
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

std::string Connection::peer() const { return transport_ != nullptr ? net::peer_address(descriptor()) : "-"; }

http::TlsInfo Connection::tls() const {
  const auto* transport = std::get_if<tls::ServerTransport>(&socket_);
  return transport != nullptr ? transport->info() : http::TlsInfo{};
}

}  // namespace h2park::server
