// Blocks of a connection that do not fit into its slot: on the thread's heap, where small ones wait in lists
// by size for the next of their kind, as those of busy connections without slots do (base/pooled_heap.hpp).
#pragma once

#include <cstddef>

namespace h2park::freezer {

/// Zeroed, or null without memory and for more than a GiB. `alignment`: a power of two. Thread: released on the thread that obtained
/// it, or when that has ended.
void* obtain_overflow_block(std::size_t bytes, std::size_t alignment) noexcept;
/// Zeroes it.
void release_overflow_block(void* block) noexcept;
/// At least what was asked for.
std::size_t overflow_block_bytes(const void* block) noexcept;

}  // namespace h2park::freezer
