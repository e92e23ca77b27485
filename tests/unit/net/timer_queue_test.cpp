#include "net/timer_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace h2park::net {
namespace {

using std::chrono::seconds;

TimePoint at(int second) { return TimePoint{} + seconds(second); }

class TimerQueueTest : public testing::Test {
 protected:
  std::unique_ptr<Timer> timer(std::string name, TimePoint due = kNever) {
    auto made = std::make_unique<Timer>(queue, [this, name] { fired += name; });
    made->set(due);
    return made;
  }

  int earlier = 0;
  TimerQueue queue{[this] { ++earlier; }};
  std::string fired;
};

TEST_F(TimerQueueTest, FiresWhatIsDueInTheOrderOfTime) {
  const auto b = timer("b", at(2));
  const auto c = timer("c", at(3));
  const auto a = timer("a", at(1));
  const auto d = timer("d", at(4));
  queue.fire(at(3));
  EXPECT_EQ(fired, "abc");
  EXPECT_EQ(queue.next(), at(4));
  queue.fire(at(3));
  EXPECT_EQ(fired, "abc");  // once each
  EXPECT_EQ(a->due(), kNever);
  EXPECT_EQ(d->due(), at(4));
}

TEST_F(TimerQueueTest, FiresWhatIsDueAtTheSameTimeInTheOrderOfSetting) {
  const auto a = timer("a", at(1));
  const auto b = timer("b", at(1));
  queue.fire(at(1));
  EXPECT_EQ(fired, "ab");
}

TEST_F(TimerQueueTest, TellsOnlyWhenTheEarliestBecomesEarlier) {
  const auto a = timer("a", at(5));
  EXPECT_EQ(earlier, 1);
  const auto b = timer("b", at(6));
  a->set(at(7));  // lazily: next() stays early
  EXPECT_EQ(earlier, 1);
  EXPECT_EQ(queue.next(), at(5));
  b->set(at(4));
  EXPECT_EQ(earlier, 2);
  EXPECT_EQ(queue.next(), at(4));
}

TEST_F(TimerQueueTest, ATimerThatOnlyMovedLaterFiresAtItsNewTime) {
  const auto a = timer("a", at(1));
  for (int second = 2; second <= 10; ++second) a->set(at(second));
  EXPECT_EQ(queue.size(), 1U);
  queue.fire(at(9));
  EXPECT_EQ(fired, "");
  EXPECT_EQ(queue.next(), at(10));
  queue.fire(at(10));
  EXPECT_EQ(fired, "a");
}

TEST_F(TimerQueueTest, ATimerThatMovesEarlierFiresOnceAndThen) {
  const auto a = timer("a", at(10));
  a->set(at(3));
  EXPECT_EQ(queue.size(), 1U);
  queue.fire(at(3));
  queue.fire(at(10));
  EXPECT_EQ(fired, "a");
}

TEST_F(TimerQueueTest, AClearedTimerDoesNotFireAndCanBeSetAgain) {
  const auto a = timer("a", at(2));
  a->clear();
  EXPECT_EQ(a->due(), kNever);
  a->set(at(4));
  queue.fire(at(3));
  EXPECT_EQ(fired, "");
  a->clear();
  queue.fire(at(5));
  EXPECT_EQ(fired, "");
  EXPECT_EQ(queue.next(), kNever);
  a->set(at(6));
  queue.fire(at(6));
  EXPECT_EQ(fired, "a");
}

TEST_F(TimerQueueTest, SetAgainInItsCallbackItWaitsForTheNextCall) {
  int calls = 0;
  Timer* self = nullptr;
  Timer again(queue, [&] {
    ++calls;
    self->set(at(1));  // has come already
  });
  self = &again;
  again.set(at(1));
  const auto b = timer("b", at(2));
  queue.fire(at(5));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(fired, "b");  // passed over, not stopped at
  EXPECT_EQ(queue.next(), at(1));
  queue.fire(at(5));
  EXPECT_EQ(calls, 2);
}

TEST_F(TimerQueueTest, OneSetAgainWaitsEvenIfAnotherIsDestroyedMeanwhile) {
  int calls = 0;
  auto victim = timer("v", at(2));
  Timer* self = nullptr;
  Timer again(queue, [&] {
    ++calls;
    victim.reset();
    self->set(at(1));
  });
  self = &again;
  again.set(at(1));
  queue.fire(at(5));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(fired, "");
}

TEST_F(TimerQueueTest, ATimerMayBeDestroyedInItsOwnCallback) {
  std::unique_ptr<Timer> self;
  const std::string long_enough_for_the_heap(100, 'x');
  std::string seen;
  self = std::make_unique<Timer>(queue, [&, text = long_enough_for_the_heap] {
    self.reset();
    seen = text;  // what the callback holds is still there
  });
  self->set(at(1));
  queue.fire(at(1));
  EXPECT_EQ(seen, long_enough_for_the_heap);
  EXPECT_EQ(queue.size(), 0U);
}

TEST_F(TimerQueueTest, ACallbackMayDestroyOrClearOneThatIsDueToo) {
  auto b = timer("b", at(1));
  const auto c = timer("c", at(1));
  Timer first(queue, [&] {
    b.reset();
    c->clear();
  });
  first.set(at(0));
  queue.fire(at(1));
  EXPECT_EQ(fired, "");
}

TEST_F(TimerQueueTest, ADestroyedTimerLeavesTheQueue) {
  {
    const auto a = timer("a", at(1));
    EXPECT_EQ(queue.size(), 1U);
  }
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.next(), kNever);
}

}  // namespace
}  // namespace h2park::net
