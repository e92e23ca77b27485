#include "stats/fields.hpp"

#include <array>

namespace h2park::stats {
namespace {

template <auto Group, auto Member>
struct At {
  static const auto& read(const Snapshot& snapshot) { return snapshot.*Group.*Member; }
  static auto& edit(Snapshot& snapshot) { return snapshot.*Group.*Member; }
};

template <class Owner, class T>
T member_type(T Owner::*);

/// The place of one member of one group.
template <auto Group, auto Member>
constexpr auto at() {
  using T = decltype(member_type(Member));
  return Place<T>{&At<Group, Member>::read, &At<Group, Member>::edit};
}

template <auto Member>
constexpr auto server = at<&Snapshot::server, Member>();
template <auto Member>
constexpr auto connections = at<&Snapshot::connections, Member>();
template <auto Member>
constexpr auto tasks = at<&Snapshot::tasks, Member>();
template <auto Member>
constexpr auto memory = at<&Snapshot::memory, Member>();
template <auto Member>
constexpr auto parking = at<&Snapshot::parking_events, Member>();
template <auto Member>
constexpr auto requests = at<&Snapshot::requests, Member>();

using enum Unit;
using enum Kind;
using S = ServerFigures;
using C = ConnectionFigures;
using T = TaskFigures;
using M = MemoryFigures;
using P = ParkingFigures;
using R = RequestFigures;

// clang-format off
constexpr std::array kFields = {
    Field{{"", "version", kText, kInfo, "h2park_build_info",
           "Version of the server"},
          server<&S::version>},
    Field{{"", "pid", kNone, kInfo, "",
           "Its process id"},
          server<&S::pid>},
    Field{{"", "uptime_s", kSeconds, kGauge, "h2park_uptime_seconds",
           "Time since it began to serve"},
          server<&S::uptime_s>},
    Field{{"", "parking", kFlag, kInfo, "h2park_parking_enabled",
           "Whether idle connections are parked"},
          server<&S::parking>},
    Field{{"", "freeze_after_s", kSeconds, kInfo, "h2park_freeze_after_seconds",
           "How long a connection stays parked before it is frozen; null: never", "", "never"},
          server<&S::freeze_after_s>},
    Field{{"", "threads", kCount, kInfo, "h2park_threads",
           "Serving threads"},
          server<&S::threads>},

    Field{{"connections", "open", kCount, kGauge, "h2park_connections_open",
           "Connections now open"},
          connections<&C::open>},
    Field{{"connections", "accepted", kCount, kCounter, "h2park_connections_accepted_total",
           "Connections accepted"},
          connections<&C::accepted>},
    Field{{"connections", "refused", kCount, kCounter, "h2park_connections_refused_total",
           "Connections closed at once, being over --max-connections"},
          connections<&C::refused>},
    Field{{"connections", "h1", kCount, kGauge, "h2park_connections_h1",
           "Open connections that speak HTTP/1"},
          connections<&C::h1>},
    Field{{"connections", "h2", kCount, kGauge, "h2park_connections_h2",
           "Open connections that speak HTTP/2"},
          connections<&C::h2>},
    Field{{"connections", "tls", kCount, kGauge, "h2park_connections_tls",
           "Open connections over TLS"},
          connections<&C::tls>},
    Field{{"connections", "active", kCount, kGauge, "h2park_connections_active",
           "Open connections neither parked nor frozen"},
          connections<&C::active>},
    Field{{"connections", "idle", kCount, kGauge, "h2park_connections_idle",
           "Open connections without an open stream"},
          connections<&C::idle>},
    Field{{"connections", "parked", kCount, kGauge, "h2park_connections_parked",
           "Open connections without a serve coroutine, state resident"},
          connections<&C::parked>},
    Field{{"connections", "frozen", kCount, kGauge, "h2park_connections_frozen",
           "Open connections packed to an image"},
          connections<&C::frozen>},
    Field{{"connections", "closed", kCount, kCounter, "h2park_connections_closed_total",
           "Connections that ended, by reason", "reason"},
          connections<&C::closed>},

    Field{{"tasks", "live", kCount, kGauge, "h2park_tasks_live",
           "Live top-level coroutines"},
          tasks<&T::live>},
    Field{{"tasks", "serve", kCount, kGauge, "h2park_tasks_serve",
           "Those that serve a connection"},
          tasks<&T::serve>},
    Field{{"tasks", "handler", kCount, kGauge, "h2park_tasks_handler",
           "Those that run a handler"},
          tasks<&T::handler>},
    Field{{"tasks", "other", kCount, kGauge, "h2park_tasks_other",
           "Those that do something else"},
          tasks<&T::other>},
    Field{{"tasks", "created", kCount, kCounter, "h2park_tasks_created_total",
           "Top-level coroutines ever started"},
          tasks<&T::created>},

    Field{{"memory", "rss_bytes", kBytes, kGauge, "h2park_memory_rss_bytes",
           "Resident memory of the process"},
          memory<&M::rss_bytes>},
    Field{{"memory", "heap_bytes", kBytes, kGauge, "h2park_memory_heap_bytes",
           "Memory held from malloc"},
          memory<&M::heap_bytes>},
    Field{{"memory", "frame_bytes", kBytes, kGauge, "h2park_memory_frame_bytes",
           "Live coroutine frames"},
          memory<&M::frame_bytes>},
    Field{{"memory", "slot_bytes", kBytes, kGauge, "h2park_memory_slot_bytes",
           "Resident memory of the slots"},
          memory<&M::slot_bytes>},
    Field{{"memory", "frozen_bytes", kBytes, kGauge, "h2park_memory_frozen_bytes",
           "Images of frozen connections"},
          memory<&M::frozen_bytes>},
    Field{{"memory", "quarantined_slots", kCount, kCounter, "h2park_quarantined_slots_total",
           "Slots not used again, because their connection left blocks in them"},
          memory<&M::quarantined_slots>},
    Field{{"memory", "slot_overflows", kCount, kCounter, "h2park_slot_overflows_total",
           "Blocks that found no room in their connection's slot and went to the heap, where nothing is frozen"},
          memory<&M::slot_overflows>},
    Field{{"memory", "buffer_bytes", kBytes, kGauge, "h2park_memory_buffer_bytes",
           "Unsent output, kept input and queued bodies"},
          memory<&M::buffer_bytes>},
    Field{{"memory", "socket_kernel_bytes", kBytes, kGauge, "h2park_memory_socket_kernel_bytes",
           "Bytes queued in the kernel's socket buffers"},
          memory<&M::socket_kernel_bytes>},
    Field{{"memory", "socket_fixed_bytes", kBytes, kGauge, "h2park_memory_socket_fixed_bytes",
           "What the kernel keeps for one TCP socket with nothing queued, by the sizes in /proc/slabinfo"},
          memory<&M::socket_fixed_bytes>},
    Field{{"memory", "bytes_per_parked_connection", kBytes, kGauge, "h2park_memory_parked_connection_bytes",
           "Tickets, images and resident slots of dormant connections, for each of them"},
          memory<&M::bytes_per_parked_connection>},

    Field{{"parking_events", "parks", kCount, kCounter, "h2park_parks_total",
           "Times a connection was parked"},
          parking<&P::parks>},
    Field{{"parking_events", "wakes", kCount, kCounter, "",
           "Times a parked connection woke"},
          parking<&P::wakes>},
    Field{{"parking_events", "wakes_by", kCount, kCounter, "h2park_wakes_total",
           "Wakes, by what woke it", "sender"},
          parking<&P::wakes_by>},
    Field{{"parking_events", "freezes", kCount, kCounter, "h2park_freezes_total",
           "Times a connection was frozen"},
          parking<&P::freezes>},
    Field{{"parking_events", "thaws", kCount, kCounter, "h2park_thaws_total",
           "Times a frozen connection was thawed"},
          parking<&P::thaws>},

    Field{{"requests", "total", kCount, kCounter, "h2park_requests_total",
           "Requests received"},
          requests<&R::total>},
    Field{{"requests", "in_flight", kCount, kGauge, "h2park_requests_in_flight",
           "Requests not yet answered in full"},
          requests<&R::in_flight>},
    Field{{"requests", "by_status", kCount, kCounter, "h2park_responses_total",
           "Requests, by class of status; none: reset before a status was sent", "class"},
          requests<&R::by_status>},
    Field{{"requests", "streams_open", kCount, kGauge, "h2park_streams_open",
           "Open streams"},
          requests<&R::streams_open>},
    Field{{"requests", "log_dropped", kCount, kCounter, "h2park_access_log_dropped_total",
           "Lines that the access log lost, because its file or pipe was too slow or failed"},
          requests<&R::log_dropped>},
};
// clang-format on

}  // namespace

std::span<const Field> fields() { return kFields; }

}  // namespace h2park::stats
