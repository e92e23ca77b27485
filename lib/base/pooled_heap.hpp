// PooledHeap: the C heap for one thread, with free lists for small blocks.
//
// A request takes and gives back some twenty small blocks. malloc finds them by its slow road when there are
// more of a size than its cache holds, and std::pmr::new_delete_resource() asks it for aligned memory each
// time. Here they wait in lists by size; few enough of them that what a crowd leaves goes back to malloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace h2park {

/// Under sanitizers nothing is kept, so that they see every release.
/// Thread: one. Lifetime: outlives its blocks.
class PooledHeap final : public std::pmr::memory_resource {
 public:
  PooledHeap() = default;
  PooledHeap(const PooledHeap&) = delete;
  PooledHeap& operator=(const PooledHeap&) = delete;
  ~PooledHeap() override;

  /// Bytes that wait in the lists.
  std::size_t kept_bytes() const { return kept_bytes_; }
  static constexpr std::size_t kMostKept = std::size_t{512} * 1024;

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kUnit = 16;
  static constexpr std::size_t kClasses = 65;  // up to 1 KiB

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::array<Free*, kClasses> lists_{};
  std::size_t kept_bytes_ = 0;
};

}  // namespace h2park
