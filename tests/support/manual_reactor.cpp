#include "support/manual_reactor.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <utility>

namespace h2park::test {
namespace {

// A megabyte through a socket buffer of a few KiB takes some hundred rounds.
constexpr int kMaxRounds = 100'000;
constexpr std::chrono::seconds kPatience{10};
// How long other threads get between two looks at `done`; a post ends it at once.
constexpr std::chrono::milliseconds kPause{1};

}  // namespace

class ManualReactor::ManualWatch final : public net::Watch {
 public:
  ManualWatch(ManualReactor& reactor, int descriptor, net::ReadyListener& to)
      : id(++reactor.last_id_), fd(descriptor), listener(to), reactor_(reactor) {
    reactor_.watches_.push_back(this);
  }
  ~ManualWatch() override { reactor_.watches_.remove(this); }

  void want_read() override { reading = true; }
  void want_write() override { writing = true; }

  const std::uint64_t id;
  const int fd;
  net::ReadyListener& listener;
  bool reading = false;
  bool writing = false;

 private:
  ManualReactor& reactor_;
};

ManualReactor::ManualReactor() = default;

ManualReactor::~ManualReactor() { EXPECT_TRUE(watches_.empty()) << "a Watch outlives its reactor"; }

std::unique_ptr<net::Watch> ManualReactor::watch(int fd, net::ReadyListener& listener) {
  EXPECT_EQ(find(fd), nullptr) << "descriptor " << fd << " is watched already";
  return std::make_unique<ManualWatch>(*this, fd, listener);
}

void ManualReactor::post(std::move_only_function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  arrived_.notify_all();
}

bool ManualReactor::run_posted() {
  std::vector<std::move_only_function<void()>> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(posted_);
  }
  for (auto& work : batch) work();
  return !batch.empty();
}

bool ManualReactor::call_ready() {
  std::vector<pollfd> polled;
  std::vector<std::uint64_t> asked;
  for (ManualWatch* watch : watches_) {
    const int events = (watch->reading ? POLLIN : 0) | (watch->writing ? POLLOUT : 0);
    if (events == 0) continue;
    polled.push_back({watch->fd, static_cast<short>(events), 0});
    asked.push_back(watch->id);
  }
  if (::poll(polled.data(), polled.size(), 0) <= 0) return false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const short ready = polled[i].revents;
    EXPECT_EQ(ready & POLLNVAL, 0) << "descriptor " << polled[i].fd << " was closed under its Watch";
    // A callback may destroy any Watch, so each is looked for again before it is called.
    ManualWatch* watch = (ready & ~POLLOUT) != 0 ? alive(asked[i]) : nullptr;
    if (watch != nullptr && std::exchange(watch->reading, false)) watch->listener.on_readable();
    watch = (ready & ~POLLIN) != 0 ? alive(asked[i]) : nullptr;
    if (watch != nullptr && std::exchange(watch->writing, false)) watch->listener.on_writable();
  }
  return true;
}

bool ManualReactor::fire_due() {
  if (timers_.next() > clock_.now()) return false;
  timers_.fire(clock_.now());
  return true;
}

bool ManualReactor::round() {
  const bool posted = run_posted();
  const bool ready = call_ready();
  const bool fired = fire_due();
  return posted || ready || fired;
}

bool ManualReactor::turn() {
  for (int rounds = 0; round(); ++rounds) {
    if (rounds < kMaxRounds) continue;
    ADD_FAILURE() << "the reactor never comes to rest: something asks again and again for what is ready";
    return false;
  }
  return true;
}

void ManualReactor::advance(Duration by) {
  const TimePoint end = clock_.now() + by;
  if (!turn()) return;
  while (timers_.next() <= end) {
    clock_.advance(timers_.next() - clock_.now());
    if (!turn()) return;
  }
  clock_.advance(end - clock_.now());
  turn();
}

bool ManualReactor::turn_until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    if (!turn()) return false;
    if (done()) return true;
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "what the test waits for has not come in " << kPatience.count() << " s";
      return false;
    }
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, kPause, [this] { return !posted_.empty(); });
  }
}

ManualReactor::ManualWatch* ManualReactor::alive(std::uint64_t id) const {
  const auto it = std::ranges::find_if(watches_, [id](const ManualWatch* w) { return w->id == id; });
  return it == watches_.end() ? nullptr : *it;
}

const ManualReactor::ManualWatch* ManualReactor::find(int fd) const {
  const auto it = std::ranges::find_if(watches_, [fd](const ManualWatch* w) { return w->fd == fd; });
  return it == watches_.end() ? nullptr : *it;
}

bool ManualReactor::wants_read(int fd) const {
  const ManualWatch* watch = find(fd);
  return watch != nullptr && watch->reading;
}

bool ManualReactor::wants_write(int fd) const {
  const ManualWatch* watch = find(fd);
  return watch != nullptr && watch->writing;
}

}  // namespace h2park::test
