#include "cmd/get_worker.hpp"

#include <utility>

namespace h2park::cmd {

/// co_await: a point in time, or the cancellation.
class GetRun::Worker::Sleep {
 public:
  Sleep(Worker& worker, TimePoint until) : worker_(worker), until_(until) {}
  bool await_ready() const { return worker_.cancelled_ || until_ <= worker_.run_.now(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    worker_.waiting_ = waiting;
    worker_.timer_.set(until_);
  }
  void await_resume() const noexcept {}

 private:
  Worker& worker_;
  const TimePoint until_;
};

/// co_await: the end of the fetch, or its being given up. One that ended at once is taken up in the next
/// turn: a worker whose requests all fail without waiting would otherwise never let go of the thread.
class GetRun::Worker::Answer {
 public:
  explicit Answer(Worker& worker) : worker_(worker) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    worker_.waiting_ = waiting;
    if (worker_.fetch_.done()) {
      worker_.timer_.set(worker_.run_.now());
    } else {
      worker_.fetch_.on_done([](void* worker) noexcept { static_cast<Worker*>(worker)->resume(); }, &worker_);
    }
  }
  void await_resume() const noexcept {}

 private:
  Worker& worker_;
};

GetRun::Worker::Worker(GetRun& run)
    : run_(run),
      transfer_(run.transfers_, [this] { broken_.set(run_.now()); }),
      timer_(run.reactor_.timers(), [this] { resume(); }),
      broken_(run.reactor_.timers(), [this] { give_up(); }) {}

void GetRun::Worker::start() {
  task_ = work();
  if (task_.done()) {
    ended();
  } else {
    task_.on_done([](void* worker) noexcept { static_cast<Worker*>(worker)->ended(); }, this);
  }
}

void GetRun::Worker::ended() {
  if (task_.exception()) exception_ = task_.exception();
  run_.worker_ended();
}

void GetRun::Worker::cancel() {
  cancelled_ = true;
  if (fetch_ && !fetch_.done()) {
    give_up();
  } else if (waiting_) {
    timer_.clear();
    resume();
  }
}

void GetRun::Worker::give_up() {
  if (!fetch_ || fetch_.done()) return;
  given_up_ = true;
  fetch_ = Task<>();
  resume();
}

void GetRun::Worker::resume() {
  if (waiting_) std::exchange(waiting_, {}).resume();
}

Task<> GetRun::Worker::work() {
  for (;;) {
    const std::optional<Pacer::Slot> slot = run_.pacer_->next(run_.now());
    if (!slot) break;
    co_await Sleep(*this, slot->due);
    if (cancelled_) break;
    begin(*slot);
    co_await Answer(*this);
    broken_.clear();
    if (given_up_) {
      report_given_up();
    } else if (fetch_.exception()) {
      std::rethrow_exception(fetch_.exception());
    }
    if (transfer_.pending() != nullptr) close_transfer(!given_up_);
    fetch_ = Task<>();
    if (cancelled_) break;
    co_await Sleep(*this, run_.pacer_->after_think(run_.now()));
    if (cancelled_) break;
  }
}

void GetRun::Worker::begin(const Pacer::Slot& slot) {
  const std::vector<GetTarget>& targets = run_.settings_.targets;
  given_up_ = false;
  pending_ = std::make_shared<Pending>();
  pending_->number = slot.number;
  pending_->target = slot.number % targets.size();
  pending_->begun = run_.now();
  pending_->due = run_.settings_.pace.interval > Duration::zero() ? slot.due : pending_->begun;
  const GetTarget& target = targets[pending_->target];
  transfer_.begin(target, pending_);
  if (target.place.kind == GetPlace::Kind::kStandardOutput) run_.reports_.begin_body();
  fetch_ = run_.fetch_(target.request, transfer_, [this, pending = pending_](const client::Record& record) {
    settled(pending, record);
  });
}

// Inside the fetch, or after it when something was drained; then another one may be under way.
void GetRun::Worker::settled(const std::shared_ptr<Pending>& pending, const client::Record& record) {
  if (transfer_.pending() == pending.get()) close_transfer(!record.failure);
  run_.settled(*pending, record);
}

void GetRun::Worker::close_transfer(bool complete) {
  transfer_.end(complete);
  run_.reports_.end_body();
}

// The client tells nothing of a fetch that was given up.
void GetRun::Worker::report_given_up() {
  const std::shared_ptr<Pending> pending = pending_;
  close_transfer(false);
  if (!pending->fault) {
    run_.reports_.summary().add_cancelled(1);
    return;
  }
  client::Record record;
  const client::Request& request = run_.settings_.targets[pending->target].request;
  record.url = request.url.text();
  record.method = request.method;
  client::Timings& times = record.timings;
  times.start = times.begin = times.resolved = times.connected = times.secured = pending->begun;
  times.ready = times.sent = times.first_byte = pending->begun;
  times.end = run_.now();
  run_.settled(*pending, record);
}

}  // namespace h2park::cmd
