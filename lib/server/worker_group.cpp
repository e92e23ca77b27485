#include "server/worker_group.hpp"

#include "base/heap_trim.hpp"
#include "base/log.hpp"
#include "tls/thread_warmup.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <future>

namespace h2park::server {
namespace {

// Nobody reads faster. Where a sample takes long, because thousands of connections are busy, it is taken less
// often: what a thread spends on it stays below half a hundredth of its time. But nobody wants older figures
// than kSampleAtLeastEvery.
constexpr Duration kSampleEvery = std::chrono::seconds(1);
constexpr Duration kSampleAtLeastEvery = std::chrono::seconds(5);
constexpr int kTimesItsLength = 200;

// A busy worker answers within a few turns. A worker that has stopped never does.
constexpr auto kSampleWait = std::chrono::milliseconds(100);

// What a person can still see on a screen, as dots. A worker lists its share within half a millisecond.
constexpr std::size_t kMostPlaces = 65'536;

/// A worker's sample under way.
struct Sampling {
  std::promise<Duration> promise;  ///< of how long it took the thread
  Duration spent{};
};

// A slice, and then a turn for those who wait, until all are measured.
void sample(WorkerThread& worker, const std::shared_ptr<Sampling>& sampling) {
  worker.post([&worker, sampling] {
    const TimePoint before = Clock::now();
    const bool done = worker.worker().sample_memory();
    sampling->spent += Clock::now() - before;
    if (done) {
      sampling->promise.set_value(sampling->spent);
    } else {
      sample(worker, sampling);
    }
  });
}

}  // namespace

Result<> WorkerGroup::prepare(const Options& options, const http::Handler& handler,
                              std::shared_ptr<tls::ServerContext> tls) {
  prepare_freezing(options);
  // Sample connections are served by this thread, before the workers' own exist.
  if (tls != nullptr) rehearse(*tls);
  for (unsigned i = 0; i < options.threads; ++i) {
    auto lot = Lot::open();
    if (!lot) return std::unexpected(lot.error());
    workers_.push_back(std::make_unique<WorkerThread>(options, handler, share_, std::move(*lot),
                                                      slots_ ? &*slots_ : nullptr));
    auto learnt = workers_.back()->worker().learn_dictionary(tls.get());
    if (!learnt) log::warn("connections are parked, but not frozen: " + learnt.error().message);
    workers_.back()->set_tls(tls);
  }
  if (slots_) {
    // What rehearsals and samples needed.
    slots_->trim();
    HeapTrim::trim_heap();
  }
  return {};
}

// A slot takes whole pages, so a connection that is never frozen is better off on the heap.
void WorkerGroup::prepare_freezing(const Options& options) {
  if (!options.parking.enabled || !options.parking.freeze_after) return;
  auto slots = freezer::Slots::reserve(options.max_connections);
  if (slots) {
    slots_.emplace(std::move(*slots));
    if (tls::allocations_are_routed()) routed_slots_.emplace(*slots_);
  } else {
    log::warn("connections are parked, but not frozen: " + slots.error().message);
  }
}

void WorkerGroup::rehearse(tls::ServerContext& tls) const {
  if (!routed_slots_) return;
  const int failed = tls::rehearse(tls);
  if (failed != 0) log::debug(fmt::format("{} of the TLS handshakes tried before serving failed", failed));
}

void WorkerGroup::listen_shared(net::ListenSocket socket, bool secure) {
  announce(socket, secure);
  WorkerThread& worker = *workers_[socket.share()];
  worker.listen(std::move(socket),
                [&worker, secure](net::UniqueFd fd) { worker.adopt(std::move(fd), secure); });
}

void WorkerGroup::listen_alone(net::ListenSocket socket, bool secure) {
  announce(socket, secure);
  workers_.front()->listen(std::move(socket),
                           [this, secure](net::UniqueFd fd) { deal(std::move(fd), secure); });
}

void WorkerGroup::announce(const net::ListenSocket& socket, bool secure) {
  const std::string text =
      socket.is_unix() ? socket.text() : (secure ? "https://" : "http://") + socket.text();
  if (std::ranges::find(addresses_, text) == addresses_.end()) addresses_.push_back(text);
}

// Thread: the first worker's.
void WorkerGroup::deal(net::UniqueFd socket, bool secure) {
  WorkerThread& worker = *workers_[next_++ % workers_.size()];
  if (&worker == workers_.front().get()) {
    worker.adopt(std::move(socket), secure);
    return;
  }
  auto held = std::make_shared<net::UniqueFd>(std::move(socket));  // std::function wants copies
  worker.post([&worker, held, secure] { worker.adopt(std::move(*held), secure); });
}

void WorkerGroup::start() {
  for (auto& worker : workers_) worker->start();
}

void WorkerGroup::for_each(const std::function<void(WorkerThread&)>& work) {
  for (auto& worker : workers_) worker->post([work, &thread = *worker] { work(thread); });
}

void WorkerGroup::stop_gracefully() {
  workers_.front()->post([this] {
    workers_.front()->stop(StopPhase::kGraceful);
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      workers_[i]->post([&worker = *workers_[i]] { worker.stop(StopPhase::kGraceful); });
    }
  });
}

void WorkerGroup::join() {
  for (auto& worker : workers_) worker->join();
}

std::vector<const stats::ThreadCounters*> WorkerGroup::counters() const {
  std::vector<const stats::ThreadCounters*> all;
  for (const auto& worker : workers_) all.push_back(&worker->worker().counters());
  return all;
}

void WorkerGroup::sample_memory() {
  const std::lock_guard lock(mutex_);
  const TimePoint now = Clock::now();
  if (samples_.empty()) {
    if (now < next_sample_) return;
    for (auto& worker : workers_) {
      auto sampling = std::make_shared<Sampling>();
      samples_.push_back(sampling->promise.get_future());
      sample(*worker, sampling);
    }
  }
  // Where that is too short, whoever asks next waits for the same sample.
  const auto ready = [end = now + kSampleWait](auto& answer) {
    return answer.wait_until(end) == std::future_status::ready;
  };
  if (!std::ranges::all_of(samples_, ready)) return;
  Duration longest{};
  for (auto& answer : samples_) longest = std::max(longest, answer.get());
  samples_.clear();
  next_sample_ = now + std::clamp(kTimesItsLength * longest, kSampleEvery, kSampleAtLeastEvery);
}

stats::Depths WorkerGroup::depths() {
  const TimePoint end = Clock::now() + kSampleWait;
  std::vector<std::future<stats::ThreadDepths>> answers;
  for (auto& worker : workers_) {
    auto listed = std::make_shared<std::promise<stats::ThreadDepths>>();
    answers.push_back(listed->get_future());
    worker->post([listed, most = kMostPlaces / workers_.size(), &thread = *worker] {
      listed->set_value(thread.worker().depths(most));
    });
  }
  stats::Depths all(answers.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (answers[i].wait_until(end) == std::future_status::ready) all[i] = answers[i].get();
  }
  return all;
}

}  // namespace h2park::server
