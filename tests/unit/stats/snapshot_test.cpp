#include "stats/snapshot.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace h2park::stats {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 3> kReasons = {"client", "idle", "timeout"};

/// Two threads whose every counter differs: thread `t`'s n-th counter is 1000^t * n, so that each sum shows
/// which counters are in it, from both threads.
class CollectTest : public testing::Test {
 protected:
  CollectTest() {
    fill(first_, 1);
    fill(second_, 1000);
    facts_ = {.version = "1.2.3",
              .pid = static_cast<std::uint64_t>(::getpid()),
              .started = now_ - 1500ms,
              .parking = true,
              .threads = 2,
              .close_reasons = kReasons};
  }

  static void fill(ThreadCounters& counters, std::uint64_t scale) {
    std::uint64_t n = 0;
    const auto next = [&](ThreadCounter& counter) { counter.set(scale * ++n); };
    counters.open.set(scale * 90);
    for (auto* counter : {&counters.accepted, &counters.refused, &counters.h1, &counters.h2, &counters.tls,
                          &counters.parked, &counters.idle}) {
      next(*counter);  // 1 to 7
    }
    for (ThreadCounter& counter : counters.closed) next(counter);      // 8 to 19
    for (ThreadCounter& counter : counters.tasks_live) next(counter);  // 20 to 22
    for (auto* counter : {&counters.tasks_created, &counters.frame_bytes, &counters.buffer_bytes,
                          &counters.socket_kernel_bytes, &counters.parks}) {
      next(*counter);  // 23 to 27
    }
    for (ThreadCounter& counter : counters.wakes) next(counter);      // 28 to 33
    next(counters.requests);                                          // 34
    next(counters.in_flight);                                         // 35
    for (ThreadCounter& counter : counters.by_status) next(counter);  // 36 to 41
    next(counters.streams_open);                                      // 42
    for (auto* counter :
         {&counters.frozen, &counters.frozen_bytes, &counters.slot_bytes, &counters.dormant_slot_bytes,
          &counters.freezes, &counters.thaws, &counters.quarantined_slots}) {
      next(*counter);  // 43 to 49
    }
    counters.request_duration.add(scale * 1us);
    counters.wake_latency[0].add(scale * 2us);
    counters.wake_latency[1].add(scale * 3us);
    counters.wake_latency[2].add(scale * 4us);
  }

  Snapshot collect() const {
    const std::array<const ThreadCounters*, 2> threads = {&first_, &second_};
    return stats::collect(threads, facts_, now_);
  }

  const TimePoint now_ = TimePoint{} + 1h;
  ThreadCounters first_;
  ThreadCounters second_;
  Facts facts_;
};

constexpr std::uint64_t both(std::uint64_t n) { return 1001 * n; }

TEST_F(CollectTest, SumsConnectionsOverThreads) {
  const ConnectionFigures connections = collect().connections;
  EXPECT_EQ(connections.open, both(90));
  EXPECT_EQ(connections.accepted, both(1));
  EXPECT_EQ(connections.refused, both(2));
  EXPECT_EQ(connections.h1, both(3));
  EXPECT_EQ(connections.h2, both(4));
  EXPECT_EQ(connections.tls, both(5));
  EXPECT_EQ(connections.parked, both(6));
  EXPECT_EQ(connections.idle, both(7));
}

TEST_F(CollectTest, CountsAsActiveWhatIsOpenAndNotParked) {
  first_.frozen.set(0);
  second_.frozen.set(0);
  EXPECT_EQ(collect().connections.active, both(84));
}

TEST_F(CollectTest, NeverShowsANegativeNumberOfActiveConnections) {
  first_.parked.set(first_.open.get() + second_.open.get() + 1);
  EXPECT_EQ(collect().connections.active, 0U);
}

TEST_F(CollectTest, NamesCloseReasonsAsTheServerDoes) {
  const Tally expected = {{{"client", both(8)}, {"idle", both(9)}, {"timeout", both(10)}}};
  EXPECT_EQ(collect().connections.closed, expected);
}

TEST_F(CollectTest, CountsTasksByKindAndInAll) {
  const TaskFigures tasks = collect().tasks;
  EXPECT_EQ(tasks.serve, both(20));
  EXPECT_EQ(tasks.handler, both(21));
  EXPECT_EQ(tasks.other, both(22));
  EXPECT_EQ(tasks.live, both(20 + 21 + 22));
  EXPECT_EQ(tasks.created, both(23));
}

TEST_F(CollectTest, SumsWakesBySender) {
  const ParkingFigures parking = collect().parking_events;
  EXPECT_EQ(parking.parks, both(27));
  const Tally expected = {{{"readable", both(28)},
                           {"handler", both(29)},
                           {"body", both(30)},
                           {"timer", both(31)},
                           {"shutdown", both(32)},
                           {"write", both(33)}}};
  EXPECT_EQ(parking.wakes_by, expected);
  EXPECT_EQ(parking.wakes, both(28 + 29 + 30 + 31 + 32 + 33));
}

TEST_F(CollectTest, SumsRequestsByClassOfStatus) {
  const RequestFigures requests = collect().requests;
  EXPECT_EQ(requests.total, both(34));
  EXPECT_EQ(requests.in_flight, both(35));
  EXPECT_EQ(requests.streams_open, both(42));
  const Tally expected = {{{"1xx", both(37)},
                           {"2xx", both(38)},
                           {"3xx", both(39)},
                           {"4xx", both(40)},
                           {"5xx", both(41)},
                           {"none", both(36)}}};
  EXPECT_EQ(requests.by_status, expected);
}

TEST_F(CollectTest, MeasuresMemory) {
  facts_.sockets_sampled = true;
  const MemoryFigures memory = collect().memory;
  EXPECT_GT(memory.rss_bytes, 500'000U);
  EXPECT_EQ(memory.frame_bytes, both(24));
  EXPECT_EQ(memory.buffer_bytes, both(25));
  EXPECT_EQ(memory.socket_kernel_bytes, both(26));
}

TEST_F(CollectTest, CountsWhatIsFrozen) {
  const Snapshot snapshot = collect();
  EXPECT_EQ(snapshot.connections.frozen, both(43));
  EXPECT_EQ(snapshot.connections.active, both(90 - 6 - 43));
  EXPECT_EQ(snapshot.memory.frozen_bytes, both(44));
  EXPECT_EQ(snapshot.parking_events.freezes, both(47));
  EXPECT_EQ(snapshot.parking_events.thaws, both(48));
}

TEST_F(CollectTest, ASleepingConnectionCostsItsTicketItsImageAndItsPages) {
  facts_.slot_ticket_bytes = 64;
  const MemoryFigures memory = collect().memory;
  EXPECT_EQ(memory.slot_bytes, both(45));
  EXPECT_EQ(memory.quarantined_slots, both(49));
  EXPECT_EQ(memory.bytes_per_parked_connection, 64 + both(44 + 46) / both(6 + 43));
}

TEST_F(CollectTest, NobodySleepsAtNoCost) {
  facts_.slot_ticket_bytes = 64;
  first_.parked.set(0);
  first_.frozen.set(0);
  second_.parked.set(0);
  second_.frozen.set(0);
  EXPECT_EQ(collect().memory.bytes_per_parked_connection, std::nullopt);
}

TEST_F(CollectTest, SaysNullWhereNobodyMeasures) {
  const Snapshot snapshot = collect();
  EXPECT_EQ(snapshot.memory.socket_kernel_bytes, std::nullopt);
  EXPECT_EQ(snapshot.memory.slot_bytes, std::nullopt);
  EXPECT_EQ(snapshot.memory.quarantined_slots, std::nullopt);
  EXPECT_EQ(snapshot.memory.bytes_per_parked_connection, std::nullopt);
  EXPECT_EQ(snapshot.server.freeze_after_s, std::nullopt);
}

TEST_F(CollectTest, PassesOnWhatOnlyTheServerKnows) {
  EXPECT_EQ(collect().memory.slot_overflows, std::nullopt);
  facts_.slot_overflows = 17;
  facts_.log_dropped = 18;
  EXPECT_EQ(collect().memory.slot_overflows, 17U);
  EXPECT_EQ(collect().requests.log_dropped, 18U);
}

TEST_F(CollectTest, AddsUpTimingsOverThreads) {
  const auto timings = collect().timings;
  ASSERT_TRUE(timings);
  EXPECT_EQ(timings->request_duration.nanoseconds, both(1'000));
  EXPECT_EQ(timings->request_duration.counts[0], 1U) << "1 us";
  EXPECT_EQ(timings->request_duration.counts[9], 1U) << "1 ms";
  for (std::size_t depth = 0; depth < kDepths; ++depth) {
    EXPECT_EQ(timings->wake_latency[depth].nanoseconds, both(1'000 * (2 + depth)));
  }
}

TEST_F(CollectTest, DescribesTheServer) {
  facts_.freeze_after = 250ms;
  facts_.parking = false;
  const ServerFigures server = collect().server;
  EXPECT_EQ(server.version, "1.2.3");
  EXPECT_EQ(server.pid, static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(server.uptime_s, 1.5);
  EXPECT_EQ(server.parking, false);
  EXPECT_EQ(server.freeze_after_s, 0.25);
  EXPECT_EQ(server.threads, 2U);
}

TEST_F(CollectTest, IsAllZeroWithoutThreads) {
  const Snapshot snapshot = stats::collect({}, facts_, now_);
  EXPECT_EQ(snapshot.connections.open, 0U);
  EXPECT_EQ(snapshot.tasks.live, 0U);
  EXPECT_EQ(snapshot.requests.total, 0U);
}

}  // namespace
}  // namespace h2park::stats
