// What the histograms count, on a fake clock that handlers move.
#include "server/worker.hpp"
#include "support/worker_house.hpp"

#include <gtest/gtest.h>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;
using stats::Depth;
using test::SocketPeer;
using test::WorkerHouse;

std::uint64_t count_of(const stats::DurationCounts& counts) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < stats::kDurationBuckets; ++i) count += counts.count(i);
  return count;
}

/// "/work" takes 5 ms of the thread's time, "/sleep" waits 70 ms, "/large" has a head of 4 KiB; everything
/// else is answered at once.
class TimedHouse {
 public:
  explicit TimedHouse(Options options)
      : house(
            std::move(options), [this](http::Request& q, http::Responder& r) { return answer(q, r); },
            [] {}) {}

  std::unique_ptr<SocketPeer> peer() { return house.greeted(); }
  const stats::DurationCounts& durations() { return house.worker.counters().request_duration; }
  const stats::DurationCounts& latency(Depth depth) {
    return house.worker.counters().wake_latency[static_cast<std::size_t>(depth)];
  }
  std::uint64_t wakes_measured() {
    return count_of(latency(Depth::kActive)) + count_of(latency(Depth::kParked)) +
           count_of(latency(Depth::kFrozen));
  }

 private:
  Task<> answer(http::Request& request, http::Responder& responder) {
    if (request.path() == "/large") responder.fields().add("x-large", std::string(4096, 'x'));
    if (request.path() == "/work") house.time.advance(5ms);
    if (request.path() == "/sleep") co_await responder.sleep(70ms);
    co_await responder.write("done\n");
  }

 public:
  WorkerHouse house;
};

TEST(Timings, ARequestTakesFromItsHeadToTheEndOfItsAnswer) {
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  peer->get("/work");
  timed.house.settle(*peer);
  EXPECT_EQ(count_of(timed.durations()), 1U);
  EXPECT_EQ(timed.durations().nanoseconds(), 5'000'000U);
}

TEST(Timings, ARequestsWaitsCount) {
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  peer->get("/sleep");
  timed.house.settle(*peer);
  EXPECT_EQ(count_of(timed.durations()), 0U) << "it is not over";
  timed.house.advance(70ms);
  timed.house.settle(*peer);
  EXPECT_EQ(count_of(timed.durations()), 1U);
  EXPECT_EQ(timed.durations().nanoseconds(), 70'000'000U);
}

TEST(Timings, ARequestThatWasGivenUpCountsToo) {
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  const auto stream = peer->get("/sleep");
  timed.house.settle(*peer);
  timed.house.advance(30ms);
  peer->reset(stream);
  timed.house.settle(*peer);
  EXPECT_EQ(count_of(timed.durations()), 1U);
  EXPECT_EQ(timed.durations().nanoseconds(), 30'000'000U);
}

TEST(Timings, ARequestWaitsForThoseThatCameWithIt) {
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  peer->get("/work");
  peer->get("/work");
  timed.house.settle(*peer);
  EXPECT_EQ(count_of(timed.durations()), 2U);
  // Both answers leave together, 10 ms after the first handler's start and 5 ms after the second's.
  EXPECT_EQ(timed.durations().nanoseconds(), 15'000'000U);
}

TEST(Timings, ARequestsWaitForItsHandlerCounts) {
  constexpr std::uint64_t kRequests = 200;
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  for (std::uint64_t i = 0; i < kRequests; ++i) peer->get("/large");
  peer->exchange();
  timed.house.settle();
  // Nobody reads: there are as many heads on their way as there may be.
  const std::uint64_t over = count_of(timed.durations());
  ASSERT_LT(timed.house.worker.counters().requests.get(), kRequests);
  ASSERT_EQ(timed.durations().nanoseconds(), 0U);
  timed.house.time.advance(10ms);
  timed.house.settle(*peer);
  timed.house.settle(*peer);
  ASSERT_EQ(count_of(timed.durations()), kRequests);
  EXPECT_EQ(timed.durations().nanoseconds(), (kRequests - over) * 10'000'000);
}

/// Two connections of which the lot tells together: the second one waits for the first one's handler.
void want_latency(Options options, Depth depth) {
  TimedHouse timed(std::move(options));
  const auto first = timed.peer();
  const auto second = timed.peer();
  for (SocketPeer* peer : {first.get(), second.get()}) {
    peer->get("/");
    timed.house.settle(*peer);
  }
  const std::uint64_t before = count_of(timed.latency(depth));
  const std::uint64_t nanoseconds = timed.latency(depth).nanoseconds();
  for (SocketPeer* peer : {first.get(), second.get()}) {
    peer->get("/work");
    peer->exchange();
  }
  timed.house.settle();
  EXPECT_EQ(count_of(timed.latency(depth)) - before, 2U);
  EXPECT_EQ(timed.latency(depth).nanoseconds() - nanoseconds, 5'000'000U);
}

TEST(Timings, AWakeIsMeasuredByHowDeepItsConnectionSlept) {
  want_latency(WorkerHouse::default_options(false), Depth::kActive);
  want_latency(WorkerHouse::default_options(), Depth::kParked);
  want_latency(WorkerHouse::freezing_options(), Depth::kFrozen);
}

TEST(Timings, AWakeWithoutARequestIsNotMeasured) {
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  EXPECT_EQ(timed.wakes_measured(), 0U) << "a greeting";
  peer->ping();
  timed.house.settle(*peer);
  EXPECT_EQ(peer->pongs(), 1);
  EXPECT_EQ(timed.wakes_measured(), 0U);
}

TEST(Timings, AWakeIsMeasuredOnceWhateverItBrings) {
  TimedHouse timed(WorkerHouse::default_options());
  const auto peer = timed.peer();
  for (int i = 0; i < 3; ++i) peer->get("/sleep");
  timed.house.settle(*peer);
  EXPECT_EQ(timed.wakes_measured(), 1U);
  timed.house.advance(70ms);
  timed.house.settle(*peer);
  EXPECT_EQ(timed.wakes_measured(), 1U) << "a timer is not the client";
  EXPECT_EQ(count_of(timed.durations()), 3U);
}

TEST(Timings, AFreshConnectionsFirstRequestIsMeasuredFromItsBeginning) {
  TimedHouse timed(WorkerHouse::default_options());
  timed.house.time.advance(1h);
  const auto peer = timed.peer();
  peer->get("/");
  timed.house.settle(*peer);
  EXPECT_EQ(timed.latency(Depth::kParked).nanoseconds() + timed.latency(Depth::kActive).nanoseconds(), 0U);
  EXPECT_EQ(timed.wakes_measured(), 1U);
}

TEST(Timings, SampleConnectionsLeaveNothing) {
  TimedHouse timed(WorkerHouse::freezing_options());
  EXPECT_EQ(count_of(timed.durations()), 0U);
  EXPECT_EQ(timed.wakes_measured(), 0U);
}

}  // namespace
}  // namespace h2park::server
