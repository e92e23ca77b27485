#include "base/pooled_heap.hpp"

#include <new>

namespace h2park {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPools = false;
#else
constexpr bool kPools = true;
#endif

bool is_usual(std::size_t alignment) { return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__; }

}  // namespace

PooledHeap::~PooledHeap() {
  for (Free* block : lists_) {
    while (block != nullptr) {
      Free* next = block->next;
      ::operator delete(block);
      block = next;
    }
  }
}

void* PooledHeap::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!is_usual(alignment)) return ::operator new(bytes, std::align_val_t(alignment));
  const std::size_t list = (bytes + kUnit - 1) / kUnit;
  if (!kPools || list >= kClasses || list == 0) return ::operator new(bytes);
  Free* block = lists_[list];
  if (block == nullptr) return ::operator new(list* kUnit);
  lists_[list] = block->next;
  kept_bytes_ -= list * kUnit;
  return block;
}

void PooledHeap::do_deallocate(void* block, std::size_t bytes, std::size_t alignment) {
  if (!is_usual(alignment)) return ::operator delete(block, std::align_val_t(alignment));
  const std::size_t list = (bytes + kUnit - 1) / kUnit;
  if (!kPools || list >= kClasses || list == 0 || kept_bytes_ >= kMostKept) return ::operator delete(block);
  lists_[list] = new (block) Free{lists_[list]};
  kept_bytes_ += list * kUnit;
}

}  // namespace h2park
