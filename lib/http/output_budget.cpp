#include "http/output_budget.hpp"

#include "http/exchange.hpp"

namespace h2park::http {

void OutputBudget::wait(Exchange& exchange) {
  exchange.in_line = true;
  exchange.next_in_line = nullptr;
  (first_ == nullptr ? first_ : last_->next_in_line) = &exchange;
  last_ = &exchange;
}

void OutputBudget::leave(Exchange& exchange) {
  if (!exchange.in_line) return;
  exchange.in_line = false;
  Exchange* before = nullptr;
  for (Exchange* at = first_; at != &exchange; at = at->next_in_line) before = at;
  (before == nullptr ? first_ : before->next_in_line) = exchange.next_in_line;
  if (last_ == &exchange) last_ = before;
}

bool OutputBudget::feed() {
  bool some = false;
  while (first_ != nullptr && room() > 0) {
    Exchange& exchange = *first_;
    leave(exchange);
    some |= exchange.queue_pending_write();
  }
  return some;
}

}  // namespace h2park::http
