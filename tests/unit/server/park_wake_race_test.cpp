// Two threads wake connections through all six senders while the serving thread parks them as fast as it can.
//
// An interleaving counts when the hook in Dormancy saw it: a send that was registered before the connection
// parked (the park was refused because of it), or that found it parked (it was revived). Nothing may be lost:
// each PING gets its ACK, each handler that was told to go on writes its byte, each body byte is read.
#include "server/dormancy.hpp"
#include "support/worker_house.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace h2park::server {
namespace {

using std::chrono::seconds;

constexpr std::size_t kConnections = 400;
constexpr std::uint64_t kInterleavingsPerSender = 1000;
constexpr std::uint64_t kInterleavings = 10'000;

/// A wait that is not one of Responder's: somebody outside the connection ends it, out of its turn.
struct Bell {
  std::coroutine_handle<> waiting;
  int rung = 0;

  bool await_ready() const { return rung > 0; }
  void await_suspend(std::coroutine_handle<> who) { waiting = who; }
  void await_resume() { --rung; }
  void ring() {
    ++rung;
    if (waiting) std::exchange(waiting, nullptr).resume();
  }
};

/// One connection as the test sees it. Each field has one thread, or is atomic.
struct Subject {
  std::unique_ptr<test::SocketPeer> peer;  // main thread; its socket is also written by one sender
  ConnectionId id;
  Bell writes;  // serving thread
  Bell reads;   // serving thread
  std::uint64_t body_read = 0;
  int pings = 0;       // the sender's
  int bytes_sent = 0;  // the sender's
  std::atomic<std::uint64_t> write_bells{0};
};

class Counting final : public DormancyObserver {
 public:
  void park_refused(ConnectionId, WakeSet registered) override { count(registered); }
  void parked(ConnectionId) override {}
  void revived(ConnectionId, WakeSet reasons) override { count(reasons); }

  bool enough() const {
    std::uint64_t all = 0;
    for (const auto& one : by_sender_) {
      if (one.load() < kInterleavingsPerSender) return false;
      all += one.load();
    }
    return all >= kInterleavings;
  }
  std::uint64_t of(std::size_t sender) const { return by_sender_[sender].load(); }

 private:
  void count(WakeSet reasons) {
    for (std::size_t i = 0; i < by_sender_.size(); ++i) {
      if (reasons.has(static_cast<WakeReason>(i))) by_sender_[i].fetch_add(1);
    }
  }
  std::array<std::atomic<std::uint64_t>, stats::kWakeReasons> by_sender_{};
};

/// With connections that only park, and with connections that are frozen whenever they park.
class ParkWakeRace : public testing::TestWithParam<bool> {
 protected:
  ParkWakeRace() : ring_(eventfd(0, EFD_NONBLOCK)), house_(options(), handler(), [this] { ring(); }) {
    house_.worker.dormancy().observe(&counting_);
  }
  ~ParkWakeRace() override { close(ring_); }

  static Options options() {
    Options options =
        GetParam() ? test::WorkerHouse::freezing_options() : test::WorkerHouse::default_options();
    options.session.idle_timeout = std::chrono::hours(24);  // the clock runs fast here
    return options;
  }

  http::Handler handler() {
    return [this](http::Request& request, http::Responder& responder) -> Task<> {
      Subject& subject = subjects_[static_cast<std::size_t>(request.connection().number() - 1)];
      if (request.method() == "GET") {
        do {
          co_await subject.writes;
        } while (co_await responder.write("x"));
      } else {
        for (;;) {
          co_await subject.reads;
          const http::Read piece = co_await request.read();
          if (!piece || piece->empty()) co_return;
          subject.body_read += piece->size();
        }
      }
    };
  }

  void ring() {
    const std::uint64_t one = 1;
    if (write(ring_, &one, sizeof one) != sizeof one) return;  // full: it has rung already
  }

  void connect_all() {
    for (Subject& subject : subjects_) {
      subject.peer = house_.greeted(1 << 30);
      subject.id = house_.last_id();
      if (!GetParam()) {  // these handlers' waits are not ours: they would keep the connection from being
                          // frozen
        subject.peer->get("/");   // stream 1
        subject.peer->post("/");  // stream 3
      }
      house_.settle(*subject.peer);
    }
    ASSERT_EQ(house_.parked(), kConnections);
  }

  // ---- the serving thread
  void serve() {
    house_.worker.bind();
    while (!done_.load()) {
      std::array<pollfd, 2> waits{pollfd{house_.worker.lot().descriptor(), POLLIN, 0},
                                  pollfd{ring_, POLLIN, 0}};
      poll(waits.data(), waits.size(), 10);
      std::uint64_t rings = 0;
      if (read(ring_, &rings, sizeof rings) < 0) rings = 0;
      end_foreign_waits();
      house_.time.advance(std::chrono::milliseconds(1));  // the next batch may be frozen
      while (house_.worker.turn()) {
      }
    }
    end_foreign_waits();
    house_.settle();
  }
  void end_foreign_waits() {
    std::vector<Bell*> bells;
    {
      const std::lock_guard lock(mutex_);
      bells.swap(bells_);
    }
    for (Bell* bell : bells) bell->ring();
  }
  void ring_bell(Bell& bell) {
    {
      const std::lock_guard lock(mutex_);
      bells_.push_back(&bell);
    }
    ring();
  }

  // ---- the sending threads: each has its own half of the sockets; sends through the gate go to all
  void send_until_enough(std::size_t half) {
    std::uint32_t random = 17 + static_cast<std::uint32_t>(half);
    const auto give_up = Clock::now() + seconds(120);
    while (!enough() && Clock::now() < give_up) {
      random = random * 1664525 + 1013904223;
      send_one(subjects_[(random >> 8) % kConnections],
               subjects_[2 * ((random >> 8) % (kConnections / 2)) + half],
               static_cast<WakeReason>((random >> 24) % stats::kWakeReasons));
      subjects_[2 * ((random >> 4) % (kConnections / 2)) + half].peer->keep_input();
    }
  }
  bool enough() {
    return counting_.enough() &&
           (!GetParam() || house_.worker.counters().thaws.get() >= kInterleavingsPerSender);
  }
  void send_one(Subject& any, Subject& own, WakeReason sender) {
    switch (sender) {
      case WakeReason::kReadable:
        if (own.pings == 50) break;  // even all at once, they are no flood
        // A full socket takes nothing: then there is nothing to answer.
        own.pings +=
            own.peer->write_raw(std::string("\0\0\x08\x06\0\0\0\0\0"
                                            "12345678",
                                            17));
        break;
      case WakeReason::kHandler:
        if (GetParam()) {
          house_.worker.gate().send(any.id, sender);
          break;
        }
        any.write_bells.fetch_add(1);
        ring_bell(any.writes);
        break;
      case WakeReason::kBody:
        if (GetParam()) {
          house_.worker.gate().send(any.id, sender);
          break;
        }
        own.bytes_sent += own.peer->write_raw(std::string("\0\0\x01\0\0\0\0\0\x03z", 10));
        ring_bell(own.reads);
        house_.worker.gate().send(any.id, sender);
        break;
      case WakeReason::kTimer:
      case WakeReason::kShutdown:
      case WakeReason::kWrite:
        house_.worker.gate().send(any.id, sender);
        break;
    }
  }

  int ring_;
  std::vector<Subject> subjects_{kConnections};
  test::WorkerHouse house_;
  Counting counting_;
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::vector<Bell*> bells_;  // guarded by mutex_
};

INSTANTIATE_TEST_SUITE_P(Depth, ParkWakeRace, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "frozen" : "parked"; });

TEST_P(ParkWakeRace, LosesNoWakeUpOfAnySender) {
  connect_all();
  std::thread serving([this] { serve(); });
  std::thread first([this] { send_until_enough(0); });
  std::thread second([this] { send_until_enough(1); });
  first.join();
  second.join();
  done_.store(true);
  ring();
  serving.join();
  house_.worker.bind();

  for (std::size_t sender = 0; sender < stats::kWakeReasons; ++sender) {
    const auto name = to_string(static_cast<WakeReason>(sender));
    EXPECT_GE(counting_.of(sender), kInterleavingsPerSender) << name;
    RecordProperty(std::string(name), std::to_string(counting_.of(sender)));
  }
  ASSERT_EQ(house_.open(), kConnections);
  for (Subject& subject : subjects_) {
    house_.settle(*subject.peer);
    ASSERT_EQ(subject.peer->pongs(), subject.pings);
    ASSERT_EQ(subject.peer->response(1).body.size(), subject.write_bells.load());
    // Bells may have outnumbered what was there to read: what is left is read at last.
    for (subject.reads.rung = 0; subject.body_read < static_cast<std::uint64_t>(subject.bytes_sent);) {
      const std::uint64_t before = subject.body_read;
      subject.reads.ring();
      house_.settle();
      ASSERT_GT(subject.body_read, before);
    }
    ASSERT_EQ(subject.body_read, static_cast<std::uint64_t>(subject.bytes_sent));
    ASSERT_TRUE(house_.worker.gate().registered(subject.id).empty());
  }
  if (GetParam()) {
    house_.settle();
    EXPECT_EQ(house_.frozen(), kConnections);
    EXPECT_GE(house_.worker.counters().thaws.get(), kInterleavingsPerSender);
  }
  EXPECT_EQ(house_.parked(), kConnections) << "with nothing left to do, all are parked";
}

}  // namespace
}  // namespace h2park::server
