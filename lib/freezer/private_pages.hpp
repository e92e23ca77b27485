// Memory for what may be secret: whole pages of its own, not in core dumps. The kernel zeroes them before
// anybody else gets them. Pages that were never touched cost nothing.
#pragma once

#include "freezer/poison.hpp"

#include <cstddef>
#include <new>

namespace h2park::freezer {

/// Zeroed. Null when the kernel refuses.
void* map_private_pages(std::size_t bytes) noexcept;
/// Null is fine. Requires: `bytes` as in the call that mapped it.
void unmap_private_pages(void* pages, std::size_t bytes) noexcept;

/// For unique_ptr to a T that lies in such pages.
template <class T>
struct InPrivatePages {
  /// Null when the kernel refuses.
  static T* make() {
    void* pages = map_private_pages(sizeof(T));
    if (pages == nullptr) return nullptr;
    watch_for_pointers(pages, sizeof(T));
    return new (pages) T;
  }
  void operator()(T* object) const {
    object->~T();
    unwatch_for_pointers(object, sizeof(T));
    unmap_private_pages(object, sizeof(T));
  }
};

}  // namespace h2park::freezer
