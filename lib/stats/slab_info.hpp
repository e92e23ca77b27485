// What the kernel keeps for a socket that does nothing, by the sizes of its objects in /proc/slabinfo.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>

namespace h2park::stats {

/// Bytes of one TCP socket over IPv4: the slabs' bytes for each object of TCP, sock_inode_cache, filp and
/// dentry, their slack included. Queued data is not in it (stats/socket_memory.hpp), nor is the socket's
/// place in an epoll set. nullopt: /proc/slabinfo is not readable (usually only root may), or the kernel
/// shows one of them under another's name. Cost: the file is read once per process; the kernel takes a lock
/// of every cache for it. Thread: any.
std::optional<std::uint64_t> socket_fixed_bytes();

/// The parsing of it (slabinfo(5), version 2.x).
std::optional<std::uint64_t> parse_socket_slabs(std::istream& slabinfo, std::uint64_t page_bytes);

}  // namespace h2park::stats
