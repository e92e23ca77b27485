#include "stats/process_reading.hpp"

#include "stats/process_figures.hpp"
#include "stats/tcp_memory.hpp"

#include <time.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unordered_set>

namespace h2park::stats {
namespace {

namespace fs = std::filesystem;
using Inodes = std::unordered_set<std::uint64_t>;
using enum Unit;
using enum Kind;

// The names of Prometheus's own client libraries, where they have one.
constexpr std::string_view kGroup = "process";
constexpr FieldInfo kPid{kGroup, "pid", kNone, kInfo, "", "Its process id"};
constexpr FieldInfo kName{kGroup, "name", kText, kInfo, "", "What the kernel calls it"};
constexpr FieldInfo kUptime{
    kGroup, "uptime_s", kSeconds, kGauge, "process_uptime_seconds", "Time since it was started"};
constexpr FieldInfo kCpu{kGroup,
                         "cpu_s",
                         kSeconds,
                         kCounter,
                         "process_cpu_seconds_total",
                         "Processor time in user and kernel mode"};
constexpr FieldInfo kThreads{kGroup, "threads", kCount, kGauge, "process_threads", "Its threads"};
constexpr FieldInfo kDescriptors{kGroup, "descriptors",      kCount,
                                 kGauge, "process_open_fds", "Its open file descriptors"};
constexpr FieldInfo kRss{kGroup,           "rss_bytes", kBytes, kGauge, "process_resident_memory_bytes",
                         "Resident memory"};
constexpr FieldInfo kPss{kGroup,
                         "pss_bytes",
                         kBytes,
                         kGauge,
                         "process_proportional_memory_bytes",
                         "Resident memory, pages shared with other processes counted by their share"};
constexpr FieldInfo kSockets{kGroup, "tcp_sockets",         kCount,
                             kGauge, "process_tcp_sockets", "Its TCP sockets, listening ones included"};
constexpr FieldInfo kQueued{
    kGroup, "socket_kernel_bytes",         kBytes,
    kGauge, "process_socket_kernel_bytes", "Bytes queued in the kernel's buffers of its TCP sockets"};
constexpr FieldInfo kReserved{kGroup,
                              "socket_reserved_bytes",
                              kBytes,
                              kGauge,
                              "process_socket_reserved_bytes",
                              "Memory that the kernel has set aside for these sockets beyond what is queued"};

std::string directory_of(std::uint64_t pid) { return "/proc/" + std::to_string(pid); }

std::unexpected<Error> unreadable(std::uint64_t pid, const std::error_code& error) {
  return fail("process " + std::to_string(pid) + ": " + error.message());
}

/// "socket:[12345]"
std::optional<std::uint64_t> socket_inode(const std::string& link) {
  constexpr std::string_view kPrefix = "socket:[";
  if (!link.starts_with(kPrefix)) return std::nullopt;
  std::uint64_t inode = 0;
  const auto parsed = std::from_chars(link.data() + kPrefix.size(), link.data() + link.size(), inode);
  return parsed.ec == std::errc{} ? std::optional(inode) : std::nullopt;
}

struct Descriptors {
  std::uint64_t count = 0;
  Inodes sockets;
};

Result<Descriptors> read_descriptors(std::uint64_t pid) {
  std::error_code error;
  Descriptors found;
  fs::directory_iterator entry(directory_of(pid) + "/fd", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    ++found.count;
    std::error_code closed_meanwhile;
    const fs::path target = fs::read_symlink(entry->path(), closed_meanwhile);
    if (const auto inode = socket_inode(target.string())) found.sockets.insert(*inode);
  }
  if (error == std::errc::permission_denied) {
    return fail("process " + std::to_string(pid) + ": " + error.message() +
                ": only its user and root may see its descriptors");
  }
  if (error) return unreadable(pid, std::make_error_code(std::errc::no_such_process));
  return found;
}

/// "Pss:   1234 kB" of smaps_rollup (Linux 4.14).
Figure read_pss(std::uint64_t pid) {
  std::ifstream file(directory_of(pid) + "/smaps_rollup");
  std::string word;
  while (file >> word) {
    std::uint64_t kib = 0;
    if (word == "Pss:" && file >> kib) return kib * 1024;
  }
  return std::nullopt;
}

std::optional<std::string> read_name(std::uint64_t pid) {
  std::ifstream file(directory_of(pid) + "/comm");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

struct SocketFigures {
  Figure count;
  Figure queued;
  Figure reserved;
};

/// True if sock_diag shows us its sockets.
bool shares_our_network(std::uint64_t pid) {
  std::error_code error;
  return fs::read_symlink(directory_of(pid) + "/ns/net", error) ==
         fs::read_symlink("/proc/self/ns/net", error);
}

SocketFigures read_sockets(std::uint64_t pid, const Inodes& mine) {
  if (!shares_our_network(pid)) return {};
  SocketFigures sum{.count = 0, .queued = 0, .reserved = 0};
  if (mine.empty()) return sum;
  const auto read = for_each_tcp_socket([&](const TcpSocketMemory& socket) {
    if (!mine.contains(socket.inode)) return;
    ++*sum.count;
    *sum.queued += socket.queued;
    *sum.reserved += socket.reserved;
  });
  return read ? sum : SocketFigures{};
}

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

double uptime_of(const ProcessTimes& times) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto since_boot = std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  return seconds(std::chrono::duration_cast<std::chrono::milliseconds>(since_boot) - times.since_boot);
}

template <class T>
Value value_of(const std::optional<T>& figure) {
  return figure ? Value(*figure) : Value();
}

}  // namespace

const KnownFields& process_fields() {
  static const KnownFields all{&time_field(), &kPid, &kName, &kUptime,  &kCpu,    &kThreads,
                               &kDescriptors, &kRss, &kPss,  &kSockets, &kQueued, &kReserved};
  return all;
}

Result<Reading> read_process(std::uint64_t pid) {
  const std::optional<ProcessTimes> times = process_times(pid);
  if (!times) return unreadable(pid, std::make_error_code(std::errc::no_such_process));
  const auto descriptors = read_descriptors(pid);
  if (!descriptors) return std::unexpected(descriptors.error());
  const SocketFigures sockets = read_sockets(pid, descriptors->sockets);
  return Reading{{
      {.field = &kPid, .value = pid},
      {.field = &kName, .value = value_of(read_name(pid))},
      {.field = &kUptime, .value = uptime_of(*times)},
      {.field = &kCpu, .value = seconds(times->cpu)},
      {.field = &kThreads, .value = times->threads},
      {.field = &kDescriptors, .value = descriptors->count},
      {.field = &kRss, .value = value_of(rss_bytes(pid))},
      {.field = &kPss, .value = value_of(read_pss(pid))},
      {.field = &kSockets, .value = value_of(sockets.count)},
      {.field = &kQueued, .value = value_of(sockets.queued)},
      {.field = &kReserved, .value = value_of(sockets.reserved)},
  }};
}

}  // namespace h2park::stats
