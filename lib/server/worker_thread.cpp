#include "server/worker_thread.hpp"

#include "base/code_pages.hpp"
#include "tls/server_context.hpp"
#include "tls/thread_warmup.hpp"

namespace h2park::server {

WorkerThread::WorkerThread(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot,
                           freezer::Slots* slots)
    : worker_(
          options, handler, share, std::move(lot), time_, [this] { worker_.lot().ring(); }, slots) {}

void WorkerThread::listen(net::ListenSocket socket, Acceptor::OnConnection on_connection) {
  const auto number = static_cast<std::uint32_t>(acceptors_.size());
  acceptors_.push_back(
      std::make_unique<Acceptor>(worker_.lot(), number, std::move(socket), std::move(on_connection)));
}

void WorkerThread::start() {
  thread_ = std::thread([this] { run(); });
}

void WorkerThread::join() {
  if (thread_.joinable()) thread_.join();
}

void WorkerThread::run() {
  worker_.bind();
  if (tls_ != nullptr) warm_up();
  for (auto& acceptor : acceptors_) acceptor->start(time_.now());
  for (bool more = false; !done();) {
    worker_.lot().wait(more ? Duration::zero() : until_next());
    time_.refresh();
    if (worker_.lot().rung()) run_posted();
    accept();
    more = worker_.turn();
  }
  acceptors_.clear();
}

// A thread's first handshake leaves per-thread state of OpenSSL behind, wherever it was allocated. Of the
// code that handshakes of all kinds went through, clients will use a part.
void WorkerThread::warm_up() {
  tls::warm_up_thread(*tls_);
  for (const auto* library : {"libcrypto.so", "libssl.so"}) drop_code_pages(library);
}

Duration WorkerThread::until_next() const {
  TimePoint next = worker_.next_deadline();
  for (const auto& acceptor : acceptors_) next = std::min(next, acceptor->resumes_at());
  return next == kNever ? Duration::max() : std::max(next - Clock::now(), Duration::zero());
}

void WorkerThread::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  worker_.lot().ring();
}

void WorkerThread::run_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (auto& work : posted) work();
}

void WorkerThread::accept() {
  const TimePoint now = time_.now();
  for (auto& acceptor : acceptors_) acceptor->resume_if_due(now);
  for (const std::uint32_t number : worker_.lot().others()) acceptors_[number]->accept_some(now);
}

void WorkerThread::adopt(net::UniqueFd socket, bool secure) {
  worker_.adopt(std::move(socket), secure ? tls_.get() : nullptr);
}

void WorkerThread::replace_tls(std::shared_ptr<tls::ServerContext> context) {
  tls::warm_up_thread(*context);  // its key keeps something for each thread that uses it
  tls_ = std::move(context);
}

void WorkerThread::stop(StopPhase phase) {
  if (phase == StopPhase::kGraceful) {
    for (auto& acceptor : acceptors_) acceptor->stop();
    stopping_ = true;
  }
  worker_.stop(phase);
}

}  // namespace h2park::server
