// Connection, steps 3 and 4 of a turn: handlers, and what the client gets.
#include "server/connection.hpp"

#include <algorithm>

namespace h2park::server {

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

bool Connection::start_requests() {
  bool some = false;
  while (http::Exchange* exchange = session_->next_request()) {
    exchanges_.start(*exchange);
    some = true;
  }
  return some;
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

}  // namespace h2park::server
