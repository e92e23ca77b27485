// HeapTrim: gives freed memory back to the system when a crowd has left.
//
// The C library keeps what was freed between blocks that live on: after 5,000 connections have come and gone
// the process would stay as large as it was with them. Trimming walks the whole heap, so it is done only when
// the count has fallen to a quarter of its last peak: a few times per crowd, and never for a handful.
#pragma once

#include <cstddef>

namespace h2park {

/// Thread: one. Trimming is for the whole process.
class HeapTrim {
 public:
  /// `trim`: what gives memory back. Default: malloc_trim(3).
  explicit HeapTrim(void (*trim)() = &trim_heap) : trim_(trim) {}

  void grown_to(std::size_t count) {
    if (count > peak_) peak_ = count;
  }
  void shrunk_to(std::size_t count) {
    if (peak_ < kCrowd || count > peak_ / 4) return;
    peak_ = count;
    trim_();
  }

  /// At once. Thread: any.
  static void trim_heap();

  /// Fewer than this leave nothing behind that is worth a walk.
  static constexpr std::size_t kCrowd = 128;

 private:
  void (*trim_)();
  std::size_t peak_ = 0;
};

}  // namespace h2park
