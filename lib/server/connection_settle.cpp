// Connection, step 5 of a turn: close if it is over, say what to wait for and until when.
#include "base/log.hpp"
#include "server/connection.hpp"
#include "server/deadlines.hpp"
#include "server/lot.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::server {

void Connection::settle() {
  if (phase_ == Phase::kServing && session_->finished() && output_.empty() && !session_->has_output())
    finish();
  if (phase_ == Phase::kClosed) return;
  // Bytes that TLS holds are not announced by the lot. They may have been left because input was not wanted,
  // until a handler or the output of this turn made room for it.
  const bool handshaking = phase_ == Phase::kHandshake;  // part of a record is no reason to try again
  if (!handshaking && wants_input() && transport_->has_pending()) poke(WakeReason::kReadable);
  update_gauges();
  update_interest();
  update_deadline();
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
  transport_ = nullptr;
  socket_.emplace<std::monostate>();
  update_gauges();
}

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

Account Connection::account() const {
  Account account;
  account.http1 = session_ != nullptr && !http2_;
  account.http2 = session_ != nullptr && http2_;
  account.secure = secure_;
  account.streams =
      static_cast<std::uint8_t>(std::min<std::uint32_t>(counted_streams_, Account::kMostStreams));
  return account;
}

// Unsent output, queued bodies and kept input.
std::size_t Connection::buffered_bytes() const {
  return output_.bytes() + budget_.queued + budget_.heads +
         (session_ != nullptr ? session_->buffered_bytes() : 0);
}

}  // namespace h2park::server
