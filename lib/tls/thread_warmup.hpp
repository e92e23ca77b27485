// What OpenSSL allocates once per thread, allocated before the thread's first connection.
#pragma once

#include "tls/server_context.hpp"

namespace h2park::tls {

/// Does a complete handshake (TLS 1.2, then 1.3) with itself, in memory. The library makes each thread's
/// random generators in its first handshake; made here, they do not end up in the memory of some connection.
/// Requires: called on each serving thread before it accepts TLS connections. Takes about a millisecond.
/// True if both handshakes were completed; false changes nothing but where that memory lies.
bool warm_up_thread(ServerContext& context);

}  // namespace h2park::tls
