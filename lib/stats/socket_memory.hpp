// How many bytes wait in a socket's kernel buffers.
#pragma once

#include <cstdint>
#include <optional>

namespace h2park::stats {

/// Bytes that the kernel holds for data received and not read, and for data written and not acknowledged
/// (SO_MEMINFO: RMEM_ALLOC + WMEM_QUEUED; the kernel's bookkeeping of each packet included). Between unix
/// sockets all of it is the sender's. Thread: the one that owns `fd`, which nobody else may close meanwhile.
/// Cost: one system call. nullopt: not a socket, or the kernel has no SO_MEMINFO (Linux before 4.12).
std::optional<std::uint64_t> socket_queued_bytes(int fd);

/// Whether the kernel answers SO_MEMINFO: what Facts::sockets_sampled wants to know.
bool can_measure_sockets();

}  // namespace h2park::stats
