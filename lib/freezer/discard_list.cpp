#include "freezer/discard_list.hpp"

#include "freezer/poison.hpp"
#include "freezer/slot_heap.hpp"
#include "freezer/slot_pages.hpp"

#include <sys/mman.h>

namespace h2park::freezer {
namespace {

// The calling process, for system calls that want a descriptor of one (PIDFD_SELF in the kernel's headers).
constexpr int kThisProcess = -10000;

constexpr std::size_t kPage = 4096;
constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

void DiscardList::add(void* slot, std::size_t bytes) {
  poison(slot, kSlotBytes);
  slots_[count_++] = {slot, whole_pages(bytes)};
  if (count_ == kMost) flush();
}

void DiscardList::flush() {
  if (count_ == 0) return;
  together_ = together_ && (count_ == 1 || flush_together());
  if (count_ == 1 || !together_) {
    for (std::size_t i = 0; i < count_; ++i) discard_pages(slots_[i].iov_base, slots_[i].iov_len);
  }
  count_ = 0;
}

// Whatever it did not reach, it may be told again.
bool DiscardList::flush_together() const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count_; ++i) bytes += slots_[i].iov_len;
  const ssize_t done = process_madvise(kThisProcess, slots_.data(), count_, MADV_DONTNEED, 0);
  return done >= 0 && static_cast<std::size_t>(done) == bytes;
}

}  // namespace h2park::freezer
