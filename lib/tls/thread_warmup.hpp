// What OpenSSL allocates once, allocated before it could end up in the memory of some connection.
#pragma once

#include "tls/server_context.hpp"

namespace h2park::tls {

/// Does a complete handshake (TLS 1.2, then 1.3) with itself, in memory. The library makes each thread's
/// random generators in its first handshake, and some state of the key for each thread that uses it first.
/// Requires: called on each serving thread before it accepts TLS connections of that context. Takes about a
/// millisecond.
/// True if both handshakes were completed; false changes nothing but where that memory lies.
bool warm_up_thread(ServerContext& context);

/// Plays everything that a client may make the server do for the first time: each cipher suite, each group of
/// the key exchange, a second ClientHello, resumption, no tickets, new keys, an alert, a goodbye. What the
/// library fetches then and keeps for the process or with the context is not a connection's.
/// Requires: before connections whose allocations are routed (slot_routing.hpp). Takes some 20 ms.
/// Returns how many of the plays did not come to the end that was meant, 0 if all is well.
int rehearse(ServerContext& context);

}  // namespace h2park::tls
