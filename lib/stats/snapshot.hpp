// Snapshot: what a server says about itself at one moment. The structures have the shape and the names of
// /stats.json; stats/fields.hpp lists them once more as data, and every format is made from that list.
#pragma once

#include "base/clock.hpp"
#include "stats/counters.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::stats {

// Every figure is measured, none estimated. What can't be measured is nullopt: null in JSON, "-" in text.
using Figure = std::optional<std::uint64_t>;
using Seconds = std::optional<double>;
using Flag = std::optional<bool>;
/// Counts by name, in the order in which they are shown. nullopt: the server did not say.
using Tally = std::optional<std::vector<std::pair<std::string, std::uint64_t>>>;

struct ServerFigures {
  std::optional<std::string> version;
  Figure pid;
  Seconds uptime_s;
  Flag parking;
  Seconds freeze_after_s;  ///< nullopt: never
  Figure threads;          ///< serving threads
};

struct ConnectionFigures {
  Figure open;
  Figure accepted;
  Figure refused;
  Figure h1;
  Figure h2;
  Figure tls;
  Figure active;
  Figure idle;
  Figure parked;
  Figure frozen;
  Tally closed;
};

struct TaskFigures {
  Figure live;
  Figure serve;
  Figure handler;
  Figure other;
  Figure created;
};

struct MemoryFigures {
  Figure rss_bytes;
  Figure heap_bytes;
  Figure frame_bytes;
  Figure slot_bytes;
  Figure frozen_bytes;
  Figure quarantined_slots;
  Figure slot_overflows;
  Figure buffer_bytes;
  Figure socket_kernel_bytes;
  Figure socket_fixed_bytes;
  Figure bytes_per_parked_connection;
};

struct ParkingFigures {
  Figure parks;
  Figure wakes;
  Tally wakes_by;
  Figure freezes;
  Figure thaws;
};

struct RequestFigures {
  Figure total;
  Figure in_flight;
  Tally by_status;
  Figure streams_open;
  Figure log_dropped;
};

/// For Prometheus's text alone: a quantile would be an estimate.
struct Timings {
  DurationTally request_duration;
  std::array<DurationTally, kDepths> wake_latency;  ///< by Depth
};

struct Snapshot {
  ServerFigures server;  ///< at the top level of the JSON
  ConnectionFigures connections;
  TaskFigures tasks;
  MemoryFigures memory;
  ParkingFigures parking_events;
  RequestFigures requests;
  std::optional<Timings> timings = {};  ///< not in the JSON
};

/// What the counters do not know.
struct Facts {
  std::string_view version;
  std::uint64_t pid = 0;
  TimePoint started;                     ///< when the server began to serve
  bool parking = true;                   ///< --park
  std::optional<Duration> freeze_after;  ///< nullopt: never
  unsigned threads = 0;                  ///< serving threads
  /// What a sleeping connection keeps outside its slot, in bytes; nullopt where connections have no slots.
  std::optional<std::size_t> slot_ticket_bytes;
  /// How often a slot had no room for a block; nullopt likewise.
  std::optional<std::uint64_t> slot_overflows;
  /// Lines that the access log lost.
  std::uint64_t log_dropped = 0;
  /// Names of ThreadCounters::closed, by index; those left out are not shown.
  /// Requires: at most kCloseReasonSlots.
  std::span<const std::string_view> close_reasons;
  /// True if the serving threads sample ThreadCounters::socket_kernel_bytes (stats/socket_memory.hpp); false
  /// makes the figure null.
  bool sockets_sampled = false;
};

/// Sums the threads' counters and measures the process.
/// Thread: any. The counters move meanwhile, so figures of one snapshot may differ by what happened during
/// it.
Snapshot collect(std::span<const ThreadCounters* const> threads, const Facts& facts, TimePoint now);

}  // namespace h2park::stats
