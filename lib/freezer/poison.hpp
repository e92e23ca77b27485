// Tells AddressSanitizer which bytes of a slot may be touched. Without the sanitizer: nothing.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace h2park::freezer {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kPoisons = true;
inline void poison(const void* from, std::size_t bytes) { __asan_poison_memory_region(from, bytes); }
inline void unpoison(const void* from, std::size_t bytes) { __asan_unpoison_memory_region(from, bytes); }
/// Blocks of the heap that only memory in [from, from + bytes) points to are not leaks.
inline void watch_for_pointers(const void* from, std::size_t bytes) {
  __lsan_register_root_region(from, bytes);
}
inline void unwatch_for_pointers(const void* from, std::size_t bytes) {
  __lsan_unregister_root_region(from, bytes);
}
#else
inline constexpr bool kPoisons = false;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
inline void watch_for_pointers(const void*, std::size_t) {}
inline void unwatch_for_pointers(const void*, std::size_t) {}
#endif

}  // namespace h2park::freezer
