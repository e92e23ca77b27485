// What the kernel and the C library say about a process.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace h2park::stats {

/// Resident bytes of a process, from /proc/PID/statm. nullopt: no such process, or /proc is not readable.
std::optional<std::uint64_t> rss_bytes(std::uint64_t pid);

/// Bytes that this process holds from malloc: mallinfo2's `uordblks` (blocks in use in all arenas, their
/// headers included; a block in a thread's cache counts as in use) plus `hblkhd` (blocks mapped on their
/// own). Not counted: free blocks that glibc keeps, stacks, and memory that does not come from malloc.
/// nullopt: another allocator answers malloc (a sanitizer's).
/// Cost: takes each arena's lock in turn and walks its free lists, so ask for it at a person's pace.
std::optional<std::uint64_t> heap_bytes();

struct ProcessTimes {
  std::uint64_t threads = 0;
  std::chrono::milliseconds since_boot{0};  ///< when it was started (CLOCK_BOOTTIME), to the clock tick
  std::chrono::milliseconds cpu{0};         ///< in user and kernel mode, to the clock tick
  bool operator==(const ProcessTimes&) const = default;
};

/// From /proc/PID/stat. nullopt: no such process, or /proc is not readable.
std::optional<ProcessTimes> process_times(std::uint64_t pid);
/// The parsing of it: `ticks` is how many clock ticks a second has.
/// The command's name in the line may itself hold blanks and parentheses.
std::optional<ProcessTimes> parse_process_stat(std::string_view line, std::int64_t ticks);

}  // namespace h2park::stats
