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
    Field{"", "version", kNone, kInfo, server<&S::version>, "Version of the server"},
    Field{"", "pid", kNone, kInfo, server<&S::pid>, "Its process id"},
    Field{"", "uptime_s", kSeconds, kGauge, server<&S::uptime_s>, "Time since it began to serve"},
    Field{"", "parking", kNone, kInfo, server<&S::parking>, "Whether idle connections are parked"},
    Field{"", "freeze_after_s", kSeconds, kInfo, server<&S::freeze_after_s>,
          "How long a connection stays parked before it is frozen; null: never", "", "never"},
    Field{"", "threads", kCount, kInfo, server<&S::threads>, "Serving threads"},

    Field{"connections", "open", kCount, kGauge, connections<&C::open>, "Connections now open"},
    Field{"connections", "accepted", kCount, kCounter, connections<&C::accepted>, "Connections accepted"},
    Field{"connections", "refused", kCount, kCounter, connections<&C::refused>,
          "Connections closed at once, being over --max-connections"},
    Field{"connections", "h1", kCount, kGauge, connections<&C::h1>, "Open connections that speak HTTP/1"},
    Field{"connections", "h2", kCount, kGauge, connections<&C::h2>, "Open connections that speak HTTP/2"},
    Field{"connections", "tls", kCount, kGauge, connections<&C::tls>, "Open connections over TLS"},
    Field{"connections", "active", kCount, kGauge, connections<&C::active>,
          "Open connections neither parked nor frozen"},
    Field{"connections", "idle", kCount, kGauge, connections<&C::idle>,
          "Open connections without an open stream"},
    Field{"connections", "parked", kCount, kGauge, connections<&C::parked>,
          "Open connections without a serve coroutine, state resident"},
    Field{"connections", "frozen", kCount, kGauge, connections<&C::frozen>,
          "Open connections packed to an image"},
    Field{"connections", "closed", kCount, kCounter, connections<&C::closed>,
          "Connections that ended, by reason",
          "reason"},

    Field{"tasks", "live", kCount, kGauge, tasks<&T::live>, "Live top-level coroutines"},
    Field{"tasks", "serve", kCount, kGauge, tasks<&T::serve>, "Those that serve a connection"},
    Field{"tasks", "handler", kCount, kGauge, tasks<&T::handler>, "Those that run a handler"},
    Field{"tasks", "other", kCount, kGauge, tasks<&T::other>, "Those that do something else"},
    Field{"tasks", "created", kCount, kCounter, tasks<&T::created>, "Top-level coroutines ever started"},

    Field{"memory", "rss_bytes", kBytes, kGauge, memory<&M::rss_bytes>, "Resident memory of the process"},
    Field{"memory", "heap_bytes", kBytes, kGauge, memory<&M::heap_bytes>, "Memory held from malloc"},
    Field{"memory", "frame_bytes", kBytes, kGauge, memory<&M::frame_bytes>, "Live coroutine frames"},
    Field{"memory", "slot_bytes", kBytes, kGauge, memory<&M::slot_bytes>, "Resident memory of the slots"},
    Field{"memory", "frozen_bytes", kBytes, kGauge, memory<&M::frozen_bytes>, "Images of frozen connections"},
    Field{"memory", "quarantined_slots", kCount, kCounter, memory<&M::quarantined_slots>,
          "Slots put out of use because their connection left blocks in them"},
    Field{"memory", "buffer_bytes", kBytes, kGauge, memory<&M::buffer_bytes>,
          "Unsent output, kept input and queued bodies"},
    Field{"memory", "socket_kernel_bytes", kBytes, kGauge, memory<&M::socket_kernel_bytes>,
          "Bytes queued in the kernel's socket buffers"},
    Field{"memory", "bytes_per_parked_connection", kBytes, kGauge, memory<&M::bytes_per_parked_connection>,
          "Tickets, images and resident slots of dormant connections, for each of them"},

    Field{"parking_events", "parks", kCount, kCounter, parking<&P::parks>, "Times a connection was parked"},
    Field{"parking_events", "wakes", kCount, kCounter, parking<&P::wakes>, "Times a parked connection woke"},
    Field{"parking_events", "wakes_by", kCount, kCounter, parking<&P::wakes_by>, "Wakes, by what woke it",
          "sender"},
    Field{"parking_events", "freezes", kCount, kCounter, parking<&P::freezes>,
          "Times a connection was frozen"},
    Field{"parking_events", "thaws", kCount, kCounter, parking<&P::thaws>,
          "Times a frozen connection was thawed"},

    Field{"requests", "total", kCount, kCounter, requests<&R::total>, "Requests received"},
    Field{"requests", "in_flight", kCount, kGauge, requests<&R::in_flight>,
          "Requests not yet answered in full"},
    Field{"requests", "by_status", kCount, kCounter, requests<&R::by_status>,
          "Requests, by class of status; none: reset before a status was sent", "class"},
    Field{"requests", "streams_open", kCount, kGauge, requests<&R::streams_open>, "Open streams"},
};
// clang-format on

}  // namespace

std::span<const Field> fields() { return kFields; }

}  // namespace h2park::stats
