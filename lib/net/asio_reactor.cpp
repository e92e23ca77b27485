#include "net/asio_reactor.hpp"

#include "base/thread_check.hpp"

#include <map>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

namespace h2park::net {

namespace asio = boost::asio;
using boost::system::error_code;

class AsioReactor::Loop {
 public:
  Loop() : timers([this] { arm(); }), work_(io.get_executor()), timer_(io) {}

  void run() {
    thread.bind_here();
    io.run();
    io.restart();
  }

  void on_signal(int signal, std::function<void()> callback) {
    const auto [entry, added] = signals_.try_emplace(signal, io, signal);
    entry->second.callback = std::move(callback);
    if (added) wait_for(entry->second);
  }

  LiveTime time;
  TimerQueue timers;       // before `io`, whose posted work may own Timers
  asio::io_context io{1};  // 1: run by one thread
  [[no_unique_address]] ThreadCheck thread;

 private:
  /// Asio's timer moves when the earliest deadline becomes earlier, and when it has come up: not with each
  /// request's deadline, which is later than the one before.
  void arm() {
    const TimePoint next = timers.next();
    if (firing_ || next >= armed_for_) return;
    armed_for_ = next;
    timer_.expires_at(next);
    timer_.async_wait([this](const error_code& moved) {
      if (!moved) fire();
    });
  }

  /// While it lives the next deadline is not looked up; once afterwards, also if a callback threw.
  struct Firing {
    explicit Firing(Loop& all) : loop(all) { loop.firing_ = true; }
    ~Firing() {
      loop.firing_ = false;
      loop.arm();
    }
    Firing(const Firing&) = delete;
    Firing& operator=(const Firing&) = delete;
    Loop& loop;
  };

  void fire() {
    armed_for_ = kNever;
    const Firing here(*this);
    timers.fire(time.now());
  }

  struct Signal {
    Signal(asio::io_context& io, int number) : set(io, number) {}
    asio::signal_set set;
    std::function<void()> callback;
  };

  void wait_for(Signal& signal) {
    signal.set.async_wait([this, &signal](const error_code& ended, int) {
      if (ended) return;
      wait_for(signal);
      // A copy: it may put another in its place.
      const std::function<void()> call = signal.callback;
      call();
    });
  }

  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer timer_;
  TimePoint armed_for_ = kNever;
  bool firing_ = false;
  std::map<int, Signal> signals_;
};

class AsioReactor::AsioWatch final : public Watch {
 public:
  AsioWatch(Loop& loop, int fd, ReadyListener& listener)
      : loop_(loop), descriptor_(loop.io, fd), wants_(new Wants(&listener)) {}

  ~AsioWatch() override {
    wants_->listener = nullptr;
    descriptor_.release();  // the descriptor is its owner's to close
  }

  void want_read() override {
    loop_.thread.check();
    if (!std::exchange(wants_->reading, true)) wait<&Wants::reading, &ReadyListener::on_readable>();
  }

  void want_write() override {
    loop_.thread.check();
    if (!std::exchange(wants_->writing, true)) wait<&Wants::writing, &ReadyListener::on_writable>();
  }

 private:
  /// What outlives the Watch: both waits may have been answered when the first callback destroys it.
  struct Wants : boost::intrusive_ref_counter<Wants, boost::thread_unsafe_counter> {
    explicit Wants(ReadyListener* to) : listener(to) {}
    ReadyListener* listener;  // null: the Watch is gone
    bool reading = false;
    bool writing = false;
  };

  template <bool Wants::*Asked, void (ReadyListener::*Answer)()>
  void wait() {
    constexpr auto kind = Asked == &Wants::reading ? asio::posix::stream_descriptor::wait_read
                                                   : asio::posix::stream_descriptor::wait_write;
    // An error of the wait itself is told as readiness: the call that follows meets it and can say more.
    descriptor_.async_wait(kind, [wants = wants_](const error_code&) {
      if (wants->listener == nullptr) return;
      (*wants).*Asked = false;
      (wants->listener->*Answer)();
    });
  }

  Loop& loop_;
  asio::posix::stream_descriptor descriptor_;
  boost::intrusive_ptr<Wants> wants_;
};

AsioReactor::AsioReactor() : loop_(std::make_unique<Loop>()) {}
AsioReactor::~AsioReactor() = default;

const TimeSource& AsioReactor::time() const { return loop_->time; }

std::unique_ptr<Watch> AsioReactor::watch(int fd, ReadyListener& listener) {
  loop_->thread.check();
  return std::make_unique<AsioWatch>(*loop_, fd, listener);
}

TimerQueue& AsioReactor::timers() { return loop_->timers; }

void AsioReactor::post(std::move_only_function<void()> work) { asio::post(loop_->io, std::move(work)); }

void AsioReactor::run() { loop_->run(); }
void AsioReactor::stop() { loop_->io.stop(); }

void AsioReactor::on_signal(int signal, std::function<void()> callback) {
  loop_->thread.check();
  loop_->on_signal(signal, std::move(callback));
}

}  // namespace h2park::net
