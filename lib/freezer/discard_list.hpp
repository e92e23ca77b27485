// DiscardList: slots whose pages go back to the kernel together.
//
// What a system call for each slot costs is mostly the flush of the processor's address translations, page by
// page (2 us of CPU for three pages in a virtual machine); one for eight slots flushes once (0.5 us each). A
// kernel that does not take several at once (before 6.15) gets them one by one.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>

namespace h2park::freezer {

/// Thread: one.
class DiscardList {
 public:
  static constexpr std::size_t kMost = 16;

  /// The slot reads as zeros after the next flush(), which comes by itself when there are many. `bytes`: how
  /// far it was touched. Requires: nobody touches it before that. Under AddressSanitizer it is poisoned.
  void add(void* slot, std::size_t bytes);
  void flush();

 private:
  bool flush_together() const;

  std::array<iovec, kMost> slots_{};
  std::size_t count_ = 0;
  bool together_ = true;
};

}  // namespace h2park::freezer
