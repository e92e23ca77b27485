// The figures of any process of this machine, so that other servers can be compared: "process.rss_bytes".
#pragma once

#include "base/error.hpp"
#include "stats/field_path.hpp"
#include "stats/reading.hpp"

#include <cstdint>

namespace h2park::stats {

/// time_field() and the fields of the group "process".
const KnownFields& process_fields();

/// From /proc and, for its TCP sockets, sock_diag. The sockets are null if the process lives in another
/// network namespace: the kernel shows only those of our own. Errors: "process 123: No such process", or that
/// it may not be read; one line. Cost: the kernel walks the page tables for `pss_bytes`, and all TCP sockets
/// of the machine: ask for it at a person's pace.
Result<Reading> read_process(std::uint64_t pid);

}  // namespace h2park::stats
