#include "base/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <thread>

namespace h2park {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> content(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::optional<unsigned> tighter(std::optional<unsigned> a, std::optional<unsigned> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

std::optional<unsigned> quota_in(const std::filesystem::path& directory) {
  std::optional<unsigned> cpus;
  if (const auto v2 = content(directory / "cpu.max")) cpus = cpus_of_cpu_max(*v2);
  const auto quota = content(directory / "cpu.cfs_quota_us");
  const auto period = content(directory / "cpu.cfs_period_us");
  if (quota && period) cpus = tighter(cpus, cpus_of_cfs(*quota, *period));
  return cpus;
}

/// Walks from `top`/`path` up to `top`.
std::optional<unsigned> quota_along(const std::filesystem::path& top, std::string_view path) {
  std::optional<unsigned> cpus = quota_in(top);
  std::filesystem::path directory = top;
  for (const auto& part : std::filesystem::path(path).relative_path()) {
    directory /= part;
    cpus = tighter(cpus, quota_in(directory));
  }
  return cpus;
}

bool has_controller(std::string_view controllers, std::string_view wanted) {
  for (const auto& name : std::views::split(controllers, ',')) {
    if (std::string_view(name.begin(), name.end()) == wanted) return true;
  }
  return false;
}

unsigned affinity_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  // More processors than a cpu_set_t holds.
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

std::optional<unsigned> cpus_of_cfs(std::string_view quota, std::string_view period) {
  const auto paid = number(trimmed(quota));
  const auto each = number(trimmed(period));
  if (!paid || !each || *paid == 0 || *each == 0) return std::nullopt;
  const std::uint64_t cpus = *paid / *each + (*paid % *each != 0 ? 1 : 0);
  return static_cast<unsigned>(std::min<std::uint64_t>(cpus, std::numeric_limits<unsigned>::max()));
}

std::optional<unsigned> cpus_of_cpu_max(std::string_view text) {
  text = trimmed(text);
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return cpus_of_cfs(text.substr(0, space), text.substr(space));
}

std::optional<unsigned> cgroup_cpus(const std::filesystem::path& mount, std::string_view membership) {
  std::optional<unsigned> cpus;
  // Lines "ID:CONTROLLERS:PATH"; version 2 has the id 0 and no controllers.
  for (const auto& range : std::views::split(membership, '\n')) {
    const std::string_view line(range.begin(), range.end());
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) {
      cpus = tighter(cpus, quota_along(mount, path));
    } else if (has_controller(controllers, "cpu")) {
      cpus = tighter(cpus, quota_along(mount / "cpu", path));
      cpus = tighter(cpus, quota_along(mount / std::string(controllers), path));
    }
  }
  return cpus;
}

unsigned cpu_count() {
  const auto membership = content("/proc/self/cgroup");
  const auto quota = membership ? cgroup_cpus("/sys/fs/cgroup", *membership) : std::nullopt;
  return std::max(1U, std::min(affinity_cpus(), quota.value_or(std::numeric_limits<unsigned>::max())));
}

}  // namespace h2park
