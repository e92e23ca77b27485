#include "tls/slot_routing.hpp"

#include "tls/allocation_sites.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <type_traits>

namespace h2park::tls {
namespace {

using freezer::SlotHeap;

// Trivially destructible, all of it: see the header. Written while one thread runs, except the last.
constinit bool routed = false;
constinit std::atomic<std::uintptr_t> slots_begin{0};
constinit std::atomic<std::size_t> slots_bytes{0};
constinit thread_local SlotHeap* current = nullptr;
constinit thread_local CipherBlockCapture* capture = nullptr;
constinit std::atomic<std::uint64_t> overflowed{0};
static_assert(std::is_trivially_destructible_v<decltype(overflowed)>);

bool in_a_slot(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - slots_begin.load(std::memory_order_relaxed) <
         slots_bytes.load(std::memory_order_relaxed);
}

// As OpenSSL's own: nothing for no bytes.
void* take(std::size_t bytes, const char* file, int) {
  if (bytes == 0) return nullptr;
  if (current != nullptr && is_per_connection(file)) {
    if (void* block = current->obtain_inside(bytes)) return block;
    overflowed.fetch_add(1, std::memory_order_relaxed);
  }
  void* block = std::malloc(bytes);
  if (capture != nullptr && is_cipher(file)) {
    capture->block = static_cast<std::byte*>(block);
    capture->bytes = bytes;
  }
  return block;
}

void give_back(void* block, const char*, int) {
  if (in_a_slot(block)) {
    SlotHeap::of(block)->release(block);
  } else {
    std::free(block);
  }
}

void* resize(void* block, std::size_t bytes, const char* file, int line) {
  if (block == nullptr) return take(bytes, file, line);
  if (bytes == 0) {
    give_back(block, file, line);
    return nullptr;
  }
  if (!in_a_slot(block)) return std::realloc(block, bytes);
  SlotHeap& heap = *SlotHeap::of(block);
  if (void* resized = heap.resize_inside(block, bytes)) return resized;
  overflowed.fetch_add(1, std::memory_order_relaxed);
  void* outside = std::malloc(bytes);
  if (outside != nullptr) heap.move_out(block, outside, bytes);
  return outside;
}

}  // namespace

bool route_allocations() {
  if (!routed) routed = CRYPTO_set_mem_functions(&take, &resize, &give_back) == 1;
  return routed;
}

bool allocations_are_routed() noexcept { return routed; }

std::uint64_t allocations_overflowed() noexcept { return overflowed.load(std::memory_order_relaxed); }

RoutedSlots::RoutedSlots(const freezer::Slots& slots) : slots_(slots) {
  assert(slots_bytes.load() == 0 && "one at a time");
  slots_begin.store(reinterpret_cast<std::uintptr_t>(slots.address(0)));
  slots_bytes.store(slots.count() * freezer::kSlotBytes);
}

RoutedSlots::~RoutedSlots() {
  if (slots_.quarantined_blocks() == 0) slots_bytes.store(0);
}

ConnectionAllocations::ConnectionAllocations(const void* inside) noexcept {
  assert(current == nullptr);
  if (in_a_slot(inside)) current = SlotHeap::of(inside);
}

ConnectionAllocations::~ConnectionAllocations() { current = nullptr; }

CipherBlockCapture::CipherBlockCapture() noexcept { capture = this; }
CipherBlockCapture::~CipherBlockCapture() { capture = nullptr; }

}  // namespace h2park::tls
