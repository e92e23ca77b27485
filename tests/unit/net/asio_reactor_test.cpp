#include "net/asio_reactor.hpp"

#include "test_sockets.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>

namespace h2park::net {
namespace {

using std::chrono::milliseconds;

struct Calls final : ReadyListener {
  void on_readable() override {
    ++reads;
    if (then_read) then_read();
  }
  void on_writable() override {
    ++writes;
    if (then_write) then_write();
  }
  int reads = 0;
  int writes = 0;
  std::function<void()> then_read;
  std::function<void()> then_write;
};

class AsioReactorTest : public testing::Test {
 protected:
  AsioReactorTest() { std::tie(near, far) = socket_pair(); }

  void send(char byte = 'x') const { EXPECT_EQ(::send(far.get(), &byte, 1, 0), 1); }
  char receive() const {
    char byte = '-';
    ::recv(near.get(), &byte, 1, 0);
    return byte;
  }
  /// Everything that is ready, then stops: a post goes behind it.
  void settle(int turns = 3) {
    if (turns == 0) return reactor.stop();
    reactor.post([this, turns] { settle(turns - 1); });
    if (turns == 3) reactor.run();
  }

  UniqueFd near;
  UniqueFd far;
  AsioReactor reactor;
  Calls calls;
};

TEST_F(AsioReactorTest, CallsTheListenerOnceForEachWant) {
  const auto watch = reactor.watch(near.get(), calls);
  send();
  settle();
  EXPECT_EQ(calls.reads, 0);  // not asked for
  watch->want_read();
  watch->want_read();
  settle();
  EXPECT_EQ(calls.reads, 1);
  settle();
  EXPECT_EQ(calls.reads, 1);  // not asked for again, though it is still readable
  watch->want_read();         // what came before counts too
  settle();
  EXPECT_EQ(calls.reads, 2);
}

TEST_F(AsioReactorTest, AWantWaitsUntilItsTimeComes) {
  const auto watch = reactor.watch(near.get(), calls);
  watch->want_read();
  watch->want_write();
  settle();
  EXPECT_EQ(calls.reads, 0);
  EXPECT_EQ(calls.writes, 1);
  send();
  settle();
  EXPECT_EQ(calls.reads, 1);
  EXPECT_EQ(calls.writes, 1);
}

TEST_F(AsioReactorTest, TellsOfTheEndAsReadability) {
  const auto watch = reactor.watch(near.get(), calls);
  watch->want_read();
  far.reset();
  settle();
  EXPECT_EQ(calls.reads, 1);
}

TEST_F(AsioReactorTest, WaitsForRoomToWrite) {
  std::array<char, 4096> block{};
  while (::send(near.get(), block.data(), block.size(), 0) > 0) continue;
  const auto watch = reactor.watch(near.get(), calls);
  watch->want_write();
  settle();
  EXPECT_EQ(calls.writes, 0);
  while (::recv(far.get(), block.data(), block.size(), 0) > 0) continue;
  settle();
  EXPECT_EQ(calls.writes, 1);
}

TEST_F(AsioReactorTest, AListenerMayWantAgainInItsCallback) {
  const auto watch = reactor.watch(near.get(), calls);
  std::string seen;
  calls.then_read = [&] {
    seen += receive();
    if (seen == "abc") return reactor.stop();
    watch->want_read();  // one byte each time: the rest was there before
  };
  for (const char byte : {'a', 'b', 'c'}) send(byte);
  watch->want_read();
  reactor.run();
  EXPECT_EQ(seen, "abc");
}

TEST_F(AsioReactorTest, AWatchMayEndInItsCallbackWhileItsOtherWantIsAnsweredToo) {
  auto watch = reactor.watch(near.get(), calls);
  calls.then_read = calls.then_write = [&] { watch.reset(); };
  send();
  watch->want_read();
  watch->want_write();
  settle();
  EXPECT_EQ(calls.reads + calls.writes, 1);
}

TEST_F(AsioReactorTest, AWatchThatEndedIsSilentAndLeavesTheDescriptorOpen) {
  auto watch = reactor.watch(near.get(), calls);
  watch->want_read();
  send('y');
  watch.reset();
  settle();
  EXPECT_EQ(calls.reads, 0);
  EXPECT_EQ(receive(), 'y');
}

TEST_F(AsioReactorTest, ADescriptorCanBeWatchedAgain) {
  reactor.watch(near.get(), calls)->want_read();
  const auto watch = reactor.watch(near.get(), calls);
  watch->want_read();
  send();
  settle();
  EXPECT_EQ(calls.reads, 1);
}

TEST_F(AsioReactorTest, FiresTimersInTheirOrderAndNotBeforeTheirTime) {
  std::string fired;
  const TimePoint begin = Clock::now();
  Timer last(reactor.timers(), [&] {
    fired += 'c';
    reactor.stop();
  });
  Timer first(reactor.timers(), [&] { fired += 'a'; });
  Timer second(reactor.timers(), [&] {
    fired += 'b';
    EXPECT_GE(reactor.time().now(), begin + milliseconds(2));
  });
  last.set(begin + milliseconds(4));
  first.set(begin + milliseconds(1));
  second.set(begin + milliseconds(2));
  reactor.run();
  EXPECT_EQ(fired, "abc");
  EXPECT_GE(Clock::now(), begin + milliseconds(4));
}

TEST_F(AsioReactorTest, AnEarlierTimerDoesNotWaitForOneThatWasSetBefore) {
  const TimePoint begin = Clock::now();
  Timer late(reactor.timers(), [&] { reactor.stop(); });
  Timer early(reactor.timers(), [&] { reactor.stop(); });
  late.set(begin + std::chrono::seconds(20));
  early.set(begin + milliseconds(1));
  reactor.run();
  EXPECT_NE(late.due(), kNever);
}

TEST_F(AsioReactorTest, ATimerThatMovedLaterOrWasSetInACallbackFires) {
  const TimePoint begin = Clock::now();
  std::string fired;
  Timer inner(reactor.timers(), [&] {
    fired += 'i';
    reactor.stop();
  });
  Timer outer(reactor.timers(), [&] {
    fired += 'o';
    inner.set(reactor.time().now());  // at once, but in a turn of its own
    EXPECT_EQ(fired, "o");
  });
  outer.set(begin + milliseconds(1));
  outer.set(begin + milliseconds(3));
  reactor.run();
  EXPECT_EQ(fired, "oi");
  EXPECT_GE(Clock::now(), begin + milliseconds(3));
}

TEST_F(AsioReactorTest, RunsPostedWorkLaterAndInOrder) {
  std::string seen;
  reactor.post([&] {
    seen += 'a';
    reactor.post([&] {
      seen += 'c';
      reactor.stop();
    });
    seen += 'b';
  });
  EXPECT_EQ(seen, "");
  reactor.run();
  EXPECT_EQ(seen, "abc");
}

TEST_F(AsioReactorTest, OtherThreadsMayPostAndStop) {
  int posted = 0;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) reactor.post([&] { ++posted; });
    reactor.post([&] { std::thread([&] { reactor.stop(); }).join(); });
  });
  reactor.run();
  other.join();
  EXPECT_EQ(posted, 100);
}

TEST_F(AsioReactorTest, StopBeforeRunEndsItAtOnce) {
  reactor.stop();
  reactor.run();
  int posted = 0;
  reactor.post([&] {
    ++posted;
    reactor.stop();
  });
  reactor.run();
  EXPECT_EQ(posted, 1);
}

TEST_F(AsioReactorTest, TimeGoesOnWithinACallback) {
  reactor.post([&] {
    const TimePoint first = reactor.time().now();
    while (Clock::now() == first) continue;
    EXPECT_GT(reactor.time().now(), first);
    reactor.stop();
  });
  reactor.run();
}

TEST_F(AsioReactorTest, ASignalCallsItsLastCallbackEachTime) {
  std::string seen;
  reactor.on_signal(SIGTERM, [&] { seen += "never"; });
  reactor.on_signal(SIGTERM, [&] {
    seen += 't';
    if (seen == "t") return void(::raise(SIGTERM));
    reactor.on_signal(SIGTERM, [&] { reactor.stop(); });
    ::raise(SIGINT);
  });
  reactor.on_signal(SIGINT, [&] {
    seen += 'i';
    ::raise(SIGTERM);
  });
  ::raise(SIGTERM);
  reactor.run();
  EXPECT_EQ(seen, "tti");
}

TEST_F(AsioReactorTest, WhatDidNotRunIsDestroyedWithTheReactor) {
  const auto held = std::make_shared<int>(1);
  {
    AsioReactor brief;
    auto timer = std::make_shared<Timer>(brief.timers(), [] {});
    timer->set(Clock::now() + std::chrono::hours(1));
    brief.post([held, timer = std::move(timer)] {});
    brief.on_signal(SIGINT, [held] {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(AsioReactorTest, AnExceptionOfACallbackLeavesRun) {
  reactor.post([] { throw std::runtime_error("bug"); });
  EXPECT_THROW(reactor.run(), std::runtime_error);
  Timer thrower(reactor.timers(), [] { throw std::runtime_error("bug"); });
  Timer next(reactor.timers(), [&] { reactor.stop(); });
  thrower.set(Clock::now());
  next.set(Clock::now() + milliseconds(1));
  EXPECT_THROW(reactor.run(), std::runtime_error);
  reactor.run();  // can be run again, and has forgotten no timer
}

}  // namespace
}  // namespace h2park::net
