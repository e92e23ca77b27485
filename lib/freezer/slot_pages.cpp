#include "freezer/slot_pages.hpp"

#include "freezer/granule_map.hpp"
#include "freezer/poison.hpp"

#include <sys/mman.h>

namespace h2park::freezer {

void discard_pages(void* slot, std::size_t bytes) {
  madvise(slot, bytes, MADV_DONTNEED);  // rounds the length up to pages
  poison(slot, kSlotBytes);
}

void populate_pages(void* slot, std::size_t bytes) { madvise(slot, bytes, MADV_POPULATE_WRITE); }

}  // namespace h2park::freezer
