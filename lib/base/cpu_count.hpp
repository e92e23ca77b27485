// How many processors this process may use: the default of --threads.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace h2park {

/// The smaller of what sched_getaffinity() allows and what the cgroup's CPU quota pays for; at least 1.
unsigned cpu_count();

/// The processors a quota pays for, rounded up; nullopt: no limit, or not understood.
/// cgroup v2, the content of cpu.max: "150000 100000" is 2, "max 100000" no limit.
std::optional<unsigned> cpus_of_cpu_max(std::string_view text);
/// cgroup v1, the contents of cpu.cfs_quota_us ("-1": no limit) and cpu.cfs_period_us.
std::optional<unsigned> cpus_of_cfs(std::string_view quota, std::string_view period);

/// The tightest quota of a process's cgroup and all above it that `mount` (/sys/fs/cgroup) shows, for both
/// versions. `membership` is the content of /proc/self/cgroup. In a container the paths in it may lead
/// outside of what is mounted; what does not exist is passed over.
std::optional<unsigned> cgroup_cpus(const std::filesystem::path& mount, std::string_view membership);

}  // namespace h2park
