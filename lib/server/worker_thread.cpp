#include "server/worker_thread.hpp"

#include "tls/server_context.hpp"
#include "tls/thread_warmup.hpp"

#include <boost/asio/post.hpp>

namespace h2park::server {

WorkerThread::WorkerThread(const Options& options, const http::Handler& handler, ServerShare& share, Lot lot,
                           freezer::Slots* slots)
    : loop_(1),
      work_(loop_.get_executor()),
      worker_(
          options, handler, share, std::move(lot), time_, [this] { post([] {}); }, slots),
      lot_watch_(loop_, worker_.lot().descriptor()),
      timer_(loop_) {}

WorkerThread::~WorkerThread() {
  join();
  if (lot_watch_.is_open()) lot_watch_.release();  // the lot owns the descriptor
}

void WorkerThread::listen(net::ListenSocket socket, Acceptor::OnConnection on_connection) {
  acceptors_.push_back(std::make_unique<Acceptor>(loop_, std::move(socket), std::move(on_connection)));
}

void WorkerThread::start() {
  thread_ = std::thread([this] { run(); });
}

void WorkerThread::join() {
  if (thread_.joinable()) thread_.join();
}

void WorkerThread::run() {
  worker_.bind();
  // A thread's first handshake leaves per-thread state of OpenSSL behind, wherever it was allocated.
  if (tls_ != nullptr) tls::warm_up_thread(*tls_);
  for (auto& acceptor : acceptors_) acceptor->start();
  wait_for_lot();
  loop_.run();
}

void WorkerThread::post(std::function<void()> work) {
  boost::asio::post(loop_, [this, work = std::move(work)] {
    time_.refresh();
    work();
    turn();
  });
}

void WorkerThread::adopt(net::UniqueFd socket, bool secure) {
  time_.refresh();
  worker_.adopt(std::move(socket), secure ? tls_.get() : nullptr);
  if (worker_.gate().has_local() && !std::exchange(turn_posted_, true)) {
    boost::asio::post(loop_, [this] { turn(); });
  }
  arm_timer();
}

void WorkerThread::replace_tls(std::shared_ptr<tls::ServerContext> context) {
  tls::warm_up_thread(*context);  // its key keeps something for each thread that uses it
  tls_ = std::move(context);
}

void WorkerThread::wait_for_lot() {
  lot_watch_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code& error) {
                          if (error) return;
                          turn();
                          wait_for_lot();
                        });
}

void WorkerThread::turn() {
  turn_posted_ = false;
  time_.refresh();
  if (worker_.turn() && !std::exchange(turn_posted_, true)) {
    boost::asio::post(loop_, [this] { turn(); });
  }
  arm_timer();
  end_if_done();
}

void WorkerThread::arm_timer() {
  const TimePoint next = worker_.next_deadline();
  if (next == timer_at_) return;
  timer_at_ = next;
  if (next == kNever) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(next);
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    timer_at_ = kNever;
    turn();
  });
}

void WorkerThread::stop(StopPhase phase) {
  if (phase == StopPhase::kGraceful) {
    for (auto& acceptor : acceptors_) acceptor->stop();
    stopping_ = true;
  }
  worker_.stop(phase);
}

void WorkerThread::end_if_done() {
  if (!stopping_ || !worker_.empty()) return;
  acceptors_.clear();
  loop_.stop();
}

}  // namespace h2park::server
