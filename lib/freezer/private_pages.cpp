#include "freezer/private_pages.hpp"

#include <sys/mman.h>

namespace h2park::freezer {

void* map_private_pages(std::size_t bytes) noexcept {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  madvise(pages, bytes, MADV_DONTDUMP);
  return pages;
}

void unmap_private_pages(void* pages, std::size_t bytes) noexcept {
  // The kernel zeroes pages before anybody else sees them; nothing is gained by touching them all here.
  if (pages != nullptr) munmap(pages, bytes);
}

}  // namespace h2park::freezer
