// Connection, steps 3 and 4 of a turn: handlers, and what the client gets.
#include "server/connection.hpp"

#include <algorithm>

namespace h2park::server {

void Connection::run_handlers_and_flush() {
  while (phase_ == Phase::kServing) {
    bool worked = exchanges_.run_ready();
    worked |= start_requests();  // in HTTP/1, a request that was waiting for the one before it
    const bool blocked = !flush();
    if (phase_ != Phase::kServing) break;
    const bool fed = budget_.feed();  // with the room that the flush made
    worked |= start_requests();
    if (worked) note_work();
    const bool output = (exchanges_.take_output() || fed) && session_->has_output() && !blocked;
    if (!worked && !exchanges_.has_ready() && !output) break;
  }
  if (phase_ == Phase::kClosed) exchanges_.run_ready();  // a handler whose wait was not ours
}

// A handler's body waits for room in the budget, its head can't. While too many heads are on their way, or
// the socket refuses what is sent, further requests wait in the session.
bool Connection::start_requests() {
  bool some = false;
  while (budget_.heads + output_.bytes() < http::OutputBudget::kLimit) {
    http::Exchange* exchange = session_->next_request();
    if (exchange == nullptr) break;
    if (!some) context_.time.refresh();  // one for all that came together
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
