// Connection, step 2 of a turn: handshake, preface, and what the client sends.
#include "base/log.hpp"
#include "http1/server_session.hpp"
#include "http2/session_factory.hpp"
#include "server/connection.hpp"

#include <spdlog/fmt/fmt.h>

namespace h2park::server {
namespace {

// One connection may read this much per turn; then the others have theirs. The lot is level-triggered, so the
// rest is announced again.
constexpr int kReadsPerTurn = 4;

// A client that was refused may go on sending for a while before it sees the answer. What it sends within the
// linger time is thrown away, up to this much, which at loopback speed is reached before the time is.
constexpr std::size_t kLingerBytes = 64 * 1024 * 1024;

}  // namespace

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

void Connection::input_ended() {
  input_ended_ = true;
  if (phase_ == Phase::kServing) {
    session_->receive_eof();
  } else {
    close(phase_ == Phase::kLingering ? close_reason_ : http::CloseReason::kClient);
  }
}

void Connection::begin_session(bool http2) {
  phase_ = Phase::kServing;
  phase_deadline_ = kNever;
  http2_ = http2;
  if (http2) {
    session_ = context_.http2_sessions.make(memory_, exchanges_, budget_, secure_);
    context_.counters.h2.add();
  } else {
    session_ = http1::make_server_session(memory_, context_.options.session, exchanges_, budget_, secure_);
    context_.counters.h1.add();
  }
  if (context_.stop != StopPhase::kRunning) session_->begin_shutdown();
}

}  // namespace h2park::server
