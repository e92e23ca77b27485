// What each serving thread counts.
#pragma once

#include "base/thread_counter.hpp"
#include "stats/duration_counts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace h2park::stats {

enum class TaskKind : std::uint8_t { kServe, kHandler, kOther };
inline constexpr std::size_t kTaskKinds = 3;

/// The senders that wake a parked connection (DESIGN 3).
enum class WakeReason : std::uint8_t { kReadable, kHandler, kBody, kTimer, kShutdown, kWrite };
inline constexpr std::size_t kWakeReasons = 6;
std::string_view to_string(WakeReason reason);  // "readable", "handler", "body", "timer", "shutdown", "write"

/// How deep a connection sleeps, or slept when something woke it (DESIGN 3).
enum class Depth : std::uint8_t { kActive, kParked, kFrozen };
inline constexpr std::size_t kDepths = 3;
std::string_view to_string(Depth depth);  // "active", "parked", "frozen"

/// CloseReason lives above this layer; the server passes its names to the snapshot.
inline constexpr std::size_t kCloseReasonSlots = 12;

/// Thread: written by one serving thread, read by any. A gauge is a counter that also goes down.
/// Every field feeds the field of /stats.json that its comment names, or a histogram of /metrics.
struct ThreadCounters {
  // connections
  ThreadCounter open;      // gauge: connections.open
  ThreadCounter accepted;  // connections.accepted
  ThreadCounter refused;   // connections.refused (over --max-connections)
  ThreadCounter h1;        // gauge: connections.h1 (open, protocol known)
  ThreadCounter h2;        // gauge: connections.h2
  ThreadCounter tls;       // gauge: connections.tls
  ThreadCounter parked;    // gauge: connections.parked; active = open - parked - frozen
  ThreadCounter frozen;    // gauge: connections.frozen; not counted as parked
  ThreadCounter idle;      // gauge: connections.idle (no open stream)
  std::array<ThreadCounter, kCloseReasonSlots> closed;  // connections.closed
  // tasks: live top-level coroutines
  std::array<ThreadCounter, kTaskKinds> tasks_live;  // gauges
  ThreadCounter tasks_created;
  // memory
  ThreadCounter frame_bytes;   // gauge, published once per turn
  ThreadCounter buffer_bytes;  // gauge: unsent output + kept input + queued bodies, published once per turn
  ThreadCounter frozen_bytes;  // gauge: memory.frozen_bytes, images with their share of the heap
  ThreadCounter slot_bytes;    // gauge: memory.slot_bytes, pages that connections' slots have touched
  ThreadCounter dormant_slot_bytes;   // gauge: of these, the parked ones'
  ThreadCounter quarantined_slots;    // memory.quarantined_slots
  ThreadCounter socket_kernel_bytes;  // gauge: last sample
  // parking_events
  ThreadCounter parks;
  ThreadCounter freezes;
  ThreadCounter thaws;
  std::array<ThreadCounter, kWakeReasons> wakes;
  // requests
  ThreadCounter requests;                  // requests.total
  ThreadCounter in_flight;                 // gauge
  std::array<ThreadCounter, 6> by_status;  // [status / 100]; [0]: reset before a head was sent
  ThreadCounter streams_open;              // gauge
  // Prometheus's histograms
  DurationCounts request_duration;                   // from a complete head to the end of the exchange
  std::array<DurationCounts, kDepths> wake_latency;  // from the lot's word to the first handler's start
};

}  // namespace h2park::stats
