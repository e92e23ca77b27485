#include "stats/snapshot.hpp"

#include "stats/process_figures.hpp"
#include "stats/slab_info.hpp"

#include <cassert>
#include <chrono>
#include <cmath>

namespace h2park::stats {
namespace {

using Threads = std::span<const ThreadCounters* const>;

/// Keys of requests.by_status, by ThreadCounters::by_status index. "none": the stream was reset before a
/// status was sent.
constexpr std::array<std::string_view, 6> kStatusClasses = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

std::uint64_t sum(Threads threads, ThreadCounter ThreadCounters::*counter) {
  std::uint64_t total = 0;
  for (const ThreadCounters* thread : threads) total += (thread->*counter).get();
  return total;
}

template <std::size_t N>
std::uint64_t sum(Threads threads, std::array<ThreadCounter, N> ThreadCounters::*counters,
                  std::size_t index) {
  std::uint64_t total = 0;
  for (const ThreadCounters* thread : threads) total += (thread->*counters)[index].get();
  return total;
}

/// To the millisecond, so that the shortest decimal form is short.
double to_seconds(Duration duration) {
  return std::round(std::chrono::duration<double, std::milli>(duration).count()) / 1000.0;
}

ServerFigures server_figures(const Facts& facts, TimePoint now) {
  ServerFigures out;
  out.version = std::string(facts.version);
  out.pid = facts.pid;
  out.uptime_s = to_seconds(now - facts.started);
  out.parking = facts.parking;
  if (facts.freeze_after) out.freeze_after_s = to_seconds(*facts.freeze_after);
  out.threads = facts.threads;
  return out;
}

ConnectionFigures connection_figures(Threads threads, std::span<const std::string_view> close_reasons) {
  ConnectionFigures out;
  const std::uint64_t parked = sum(threads, &ThreadCounters::parked);
  const std::uint64_t frozen = sum(threads, &ThreadCounters::frozen);
  const std::uint64_t open = sum(threads, &ThreadCounters::open);
  out.open = open;
  out.accepted = sum(threads, &ThreadCounters::accepted);
  out.refused = sum(threads, &ThreadCounters::refused);
  out.h1 = sum(threads, &ThreadCounters::h1);
  out.h2 = sum(threads, &ThreadCounters::h2);
  out.tls = sum(threads, &ThreadCounters::tls);
  // Sleeping connections may have closed between the sums.
  out.active = open > parked + frozen ? open - parked - frozen : 0;
  out.idle = sum(threads, &ThreadCounters::idle);
  out.parked = parked;
  out.frozen = frozen;
  out.closed.emplace();
  for (std::size_t i = 0; i < close_reasons.size(); ++i) {
    out.closed->emplace_back(close_reasons[i], sum(threads, &ThreadCounters::closed, i));
  }
  return out;
}

TaskFigures task_figures(Threads threads) {
  const auto live = [&](TaskKind kind) {
    return sum(threads, &ThreadCounters::tasks_live, static_cast<std::size_t>(kind));
  };
  TaskFigures out;
  out.serve = live(TaskKind::kServe);
  out.handler = live(TaskKind::kHandler);
  out.other = live(TaskKind::kOther);
  out.live = *out.serve + *out.handler + *out.other;
  out.created = sum(threads, &ThreadCounters::tasks_created);
  return out;
}

// What a dormant connection costs in all: its ticket, its image, and the pages of its slot unless it is
// frozen. Without slots its state is spread over the heap, and a share of the heap would be an estimate.
void add_slot_figures(MemoryFigures& out, Threads threads, std::size_t ticket_bytes) {
  out.slot_bytes = sum(threads, &ThreadCounters::slot_bytes);
  out.quarantined_slots = sum(threads, &ThreadCounters::quarantined_slots);
  const std::uint64_t dormant = sum(threads, &ThreadCounters::parked) + sum(threads, &ThreadCounters::frozen);
  if (dormant == 0) return;
  const std::uint64_t pages = sum(threads, &ThreadCounters::dormant_slot_bytes);
  out.bytes_per_parked_connection = ticket_bytes + (*out.frozen_bytes + pages) / dormant;
}

MemoryFigures memory_figures(Threads threads, const Facts& facts) {
  MemoryFigures out;
  out.rss_bytes = rss_bytes(facts.pid);
  out.heap_bytes = heap_bytes();
  out.frame_bytes = sum(threads, &ThreadCounters::frame_bytes);
  out.frozen_bytes = sum(threads, &ThreadCounters::frozen_bytes);
  out.slot_overflows = facts.slot_overflows;
  if (facts.slot_ticket_bytes) add_slot_figures(out, threads, *facts.slot_ticket_bytes);
  out.buffer_bytes = sum(threads, &ThreadCounters::buffer_bytes);
  if (facts.sockets_sampled) out.socket_kernel_bytes = sum(threads, &ThreadCounters::socket_kernel_bytes);
  out.socket_fixed_bytes = socket_fixed_bytes();
  return out;
}

ParkingFigures parking_figures(Threads threads) {
  ParkingFigures out;
  out.parks = sum(threads, &ThreadCounters::parks);
  out.wakes = 0;
  out.wakes_by.emplace();
  for (std::size_t i = 0; i < kWakeReasons; ++i) {
    const std::uint64_t wakes = sum(threads, &ThreadCounters::wakes, i);
    *out.wakes += wakes;
    out.wakes_by->emplace_back(to_string(static_cast<WakeReason>(i)), wakes);
  }
  out.freezes = sum(threads, &ThreadCounters::freezes);
  out.thaws = sum(threads, &ThreadCounters::thaws);
  return out;
}

RequestFigures request_figures(Threads threads, std::uint64_t log_dropped) {
  RequestFigures out;
  out.total = sum(threads, &ThreadCounters::requests);
  out.in_flight = sum(threads, &ThreadCounters::in_flight);
  out.by_status.emplace();
  for (std::size_t i = 1; i < kStatusClasses.size(); ++i) {
    out.by_status->emplace_back(kStatusClasses[i], sum(threads, &ThreadCounters::by_status, i));
  }
  out.by_status->emplace_back(kStatusClasses[0], sum(threads, &ThreadCounters::by_status, 0));
  out.streams_open = sum(threads, &ThreadCounters::streams_open);
  out.log_dropped = log_dropped;
  return out;
}

Timings timings(Threads threads) {
  Timings out;
  for (const ThreadCounters* thread : threads) {
    out.request_duration.add(thread->request_duration);
    for (std::size_t i = 0; i < kDepths; ++i) out.wake_latency[i].add(thread->wake_latency[i]);
  }
  return out;
}

}  // namespace

Snapshot collect(Threads threads, const Facts& facts, TimePoint now) {
  assert(facts.close_reasons.size() <= kCloseReasonSlots);
  return Snapshot{
      .server = server_figures(facts, now),
      .connections = connection_figures(threads, facts.close_reasons),
      .tasks = task_figures(threads),
      .memory = memory_figures(threads, facts),
      .parking_events = parking_figures(threads),
      .requests = request_figures(threads, facts.log_dropped),
      .timings = timings(threads),
  };
}

}  // namespace h2park::stats
