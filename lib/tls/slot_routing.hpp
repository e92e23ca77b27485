// Slot routing: OpenSSL's per-connection objects live in their connection's slot (freezer/slots.hpp), so that
// they are frozen with it.
//
// 1. OpenSSL gets allocation functions of ours, once, before it has allocated anything.
// 2. While a call on a connection's SSL* runs, the thread's current slot is that connection's. A block asked
//    for by a file that allocates per-connection objects (allocation_sites.hpp) is taken from it, if it has
//    room.
// 3. Everything else goes to malloc. Freeing and resizing find out by address where a block lives.
//
// A block that outlives its connection would be lost with the slot's pages. So no slot is current while
// anything else is done with OpenSSL, warm-ups (thread_warmup.hpp) come before connections, and a slot that
// still has blocks after its connection has ended is not used again (Slots::give_back()).
//
// The functions use nothing that is destroyed: OpenSSL frees its own in atexit handlers.
#pragma once

#include "freezer/slots.hpp"

#include <cstddef>
#include <cstdint>

namespace h2park::tls {

/// Gives OpenSSL our functions. Without RoutedSlots they are malloc, realloc and free.
/// Requires: no other thread uses OpenSSL meanwhile. Errors: false if OpenSSL has allocated already; it stays
/// with the C heap then. Calling it again is fine.
bool route_allocations();
/// Whether route_allocations() succeeded. Thread: any, after it.
bool allocations_are_routed() noexcept;

/// While alive, connections in `slots` keep their OpenSSL objects there.
/// Requires: one at a time; no thread serves TLS when it begins or ends. Lifetime: ends before `slots`.
class RoutedSlots {
 public:
  explicit RoutedSlots(const freezer::Slots& slots);
  /// Blocks in quarantined slots can still be freed: Slots keeps their pages.
  ~RoutedSlots();
  RoutedSlots(const RoutedSlots&) = delete;
  RoutedSlots& operator=(const RoutedSlots&) = delete;

 private:
  const freezer::Slots& slots_;
};

/// The one place that makes a slot current: around each call on an SSL* that may allocate.
/// Thread: lives and dies on one, and no other is alive there.
class ConnectionAllocations {
 public:
  /// `inside`: an object of the connection. If it lies in no slot, nothing changes.
  explicit ConnectionAllocations(const void* inside) noexcept;
  ~ConnectionAllocations();
  ConnectionAllocations(const ConnectionAllocations&) = delete;
  ConnectionAllocations& operator=(const ConnectionAllocations&) = delete;
};

/// While alive, remembers the last block that the calling thread's OpenSSL got for a cipher of a provider.
/// Null without routed allocations. Thread: lives and dies on one, and no other is alive there.
class CipherBlockCapture {
 public:
  CipherBlockCapture() noexcept;
  ~CipherBlockCapture();
  CipherBlockCapture(const CipherBlockCapture&) = delete;
  CipherBlockCapture& operator=(const CipherBlockCapture&) = delete;

  std::byte* block = nullptr;
  std::size_t bytes = 0;
};

/// How often a slot had no room for a block that belonged there. Thread: any.
std::uint64_t allocations_overflowed() noexcept;

}  // namespace h2park::tls
