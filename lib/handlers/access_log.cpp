#include "handlers/access_log.hpp"

#include "base/log.hpp"
#include "handlers/access_log_sink.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace h2park::handlers {
namespace {

// Long enough that a busy server writes some hundred lines at once, short enough for `tail -f`.
constexpr auto kGather = std::chrono::milliseconds(10);

// The process's signals are for the thread that waits for them.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

struct AccessLog::State {
  State(AccessLogSink s, Report r, std::size_t bytes)
      : report(std::move(r)), limit(bytes), sink(std::move(s)) {
    // Reserved, not touched: an append under the mutex never copies the queue.
    queue.reserve(limit);
    batch.reserve(limit);
  }

  void run();
  void gather(std::unique_lock<std::mutex>& lock);
  bool write_batch(std::optional<std::size_t> place);
  bool write(std::string_view text);
  void after_batch(bool written, std::uint64_t dropped_before);
  void report_losses();
  bool urgent() const { return stopping || reopen_at || queue.size() >= limit / 4; }

  // constant after construction
  const Report report;
  const std::size_t limit;

  // guarded by mutex
  std::mutex mutex;
  std::condition_variable wake;      // for the writer
  std::condition_variable progress;  // for drain() and the destructor
  std::string queue;
  std::optional<std::size_t> reopen_at;  // an offset in queue
  bool writing = false;
  bool stopping = false;
  bool finished = false;

  // any thread
  std::atomic<std::uint64_t> dropped{0};
  std::atomic<TimePoint> give_up_at{kNever};

  // the writer's
  AccessLogSink sink;
  std::string batch;
  std::uint64_t reported = 0;  // of dropped
  int failing = 0;             // errno of a write that failed since the last report
  bool in_failure = false;     // the last batch was not written whole
  bool torn = false;           // the sink's last line is not complete
};

AccessLog::Report AccessLog::report_to_log() {
  return [](std::string_view line) { log::warn(line); };
}

Result<std::unique_ptr<AccessLog>> AccessLog::open(const AccessLogOptions& options, Report report) {
  auto sink = AccessLogSink::open(options.file);
  if (!sink) return std::unexpected(sink.error());
  return std::make_unique<AccessLog>(options.format, std::move(*sink), std::move(report));
}

AccessLog::AccessLog(AccessLogFormat format, AccessLogSink sink, Report report, std::size_t queue_bytes)
    : format_(format), state_(std::make_shared<State>(std::move(sink), std::move(report), queue_bytes)) {
  const AllSignalsBlocked blocked;
  writer_ = std::thread([state = state_] { state->run(); });
}

AccessLog::~AccessLog() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->give_up_at = Clock::now() + kLastFlush;
  state_->wake.notify_all();
  // The margin is for the writer to notice; past it, it hangs in a write (a dead network file system).
  const bool ended = state_->progress.wait_for(lock, kLastFlush * 5 / 4, [this] { return state_->finished; });
  lock.unlock();
  if (ended) {
    writer_.join();
  } else {
    writer_.detach();
  }
}

bool AccessLog::enqueue(std::string_view line) {
  bool notify = false;
  {
    const std::lock_guard lock(state_->mutex);
    const std::size_t before = state_->queue.size();
    if (line.size() > state_->limit - before) {
      state_->dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    state_->queue.append(line);
    const std::size_t mark = state_->limit / 4;
    notify = before == 0 || (before < mark && state_->queue.size() >= mark);
  }
  if (notify) state_->wake.notify_one();
  return true;
}

void AccessLog::reopen() {
  const std::lock_guard lock(state_->mutex);
  state_->reopen_at = state_->queue.size();
  state_->wake.notify_one();
}

std::uint64_t AccessLog::dropped() const { return state_->dropped.load(std::memory_order_relaxed); }

bool AccessLog::drain(Duration limit) const {
  std::unique_lock lock(state_->mutex);
  return state_->progress.wait_for(
      lock, limit, [this] { return state_->queue.empty() && !state_->reopen_at && !state_->writing; });
}

// ---- the writer

void AccessLog::State::run() {
  std::unique_lock lock(mutex);
  while (true) {
    gather(lock);
    if (queue.empty() && !reopen_at) break;  // stopping
    std::swap(queue, batch);
    const auto place = std::exchange(reopen_at, std::nullopt);
    const std::uint64_t dropped_before = dropped;
    writing = true;
    lock.unlock();
    after_batch(write_batch(place), dropped_before);
    lock.lock();
    writing = false;
    progress.notify_all();
  }
  lock.unlock();
  report_losses();
  lock.lock();
  finished = true;
  progress.notify_all();
}

void AccessLog::State::gather(std::unique_lock<std::mutex>& lock) {
  wake.wait(lock, [this] { return urgent() || !queue.empty(); });
  wake.wait_for(lock, kGather, [this] { return urgent(); });
}

// False: some of it was lost.
bool AccessLog::State::write_batch(std::optional<std::size_t> place) {
  const std::string_view text = batch;
  bool written = write(text.substr(0, place.value_or(text.size())));
  if (place) {
    if (const auto reopened = sink.reopen()) {
      torn = false;
    } else {
      report(reopened.error().message + "; going on with the old file");
    }
    written = write(text.substr(*place)) && written;
  }
  batch.clear();
  return written;
}

bool AccessLog::State::write(std::string_view text) {
  if (text.empty()) return true;
  const auto give_up = [this] { return Clock::now() >= give_up_at.load(); };
  if (torn) torn = sink.write_all("\n", give_up).bytes == 0;
  AccessLogSink::Written written{0, AccessLogSink::Outcome::kFailed};
  if (!torn) written = sink.write_all(text, give_up);
  if (written.outcome == AccessLogSink::Outcome::kWritten) return true;
  failing = written.outcome == AccessLogSink::Outcome::kGivenUp ? EAGAIN : sink.error();
  dropped += lines_in(text.substr(written.bytes));
  torn = torn || (written.bytes > 0 && text[written.bytes - 1] != '\n');
  return false;
}

// One report per burst of losses. A sink that fails is reported when that begins and when it is over; a queue
// that overflowed, once a batch went out during which nothing was dropped; at the end of the log, run()
// reports.
void AccessLog::State::after_batch(bool written, std::uint64_t dropped_before) {
  if (give_up_at.load() != kNever) return;
  if (written ? dropped_before == dropped : !in_failure) report_losses();
  in_failure = !written;
}

void AccessLog::State::report_losses() {
  const std::uint64_t total = dropped;
  const std::uint64_t lost = total - reported;
  if (lost == 0) return;
  reported = total;
  std::string line = "access log: " + std::to_string(lost) + (lost == 1 ? " line" : " lines") + " dropped, ";
  line += failing != 0 ? std::generic_category().message(failing) : "the log cannot keep up";
  failing = 0;
  report(line);
}

}  // namespace h2park::handlers
