// Which of OpenSSL's allocations belong to one connection, by the source file that asks for them.
#pragma once

namespace h2park::tls {

/// Whether what `file` (as OpenSSL passes it to its allocator) allocates in a call on a connection's SSL*
/// goes when that SSL* goes. False for names that are not known: another version of the library with other
/// files only packs less. Requires: the thread and the ServerContext are warmed up (thread_warmup.hpp);
/// before that some of these files also allocate what the thread or the process keeps. Null is fine. Thread:
/// any.
bool is_per_connection(const char* file) noexcept;

/// Whether `file` is a provider's cipher. Null is fine. Thread: any.
bool is_cipher(const char* file) noexcept;

}  // namespace h2park::tls
