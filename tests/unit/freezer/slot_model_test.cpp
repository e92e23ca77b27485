// Random blocks, writes, resizes and freezes against a model on the plain heap.
#include "unit/freezer/slot_fixture.hpp"

namespace h2park::freezer {
namespace {

class SlotModel : public test::WithPacker {
 protected:
  struct Block {
    std::byte* at;
    std::vector<std::byte> copy;
  };

  explicit SlotModel() : heap(&take()) {}

  std::size_t any(std::size_t below) { return random() % below; }
  std::size_t any_size() {
    switch (any(8)) {
      case 0:
        return any(3000);
      case 1:
        return any(20) == 0 ? any(2 * kSlotBytes) : any(64);
      default:
        return any(200);
    }
  }

  void obtain() {
    const std::size_t size = any_size();
    auto* at = static_cast<std::byte*>(any(2) == 0 ? heap->obtain(size)
                                                   : heap->allocate(size, any(2) == 0 ? 1 : 16));
    blocks.push_back({at, std::vector<std::byte>(size)});
    check(blocks.back());
  }
  void release() {
    const std::size_t index = any(blocks.size());
    check(blocks[index]);
    heap->release(blocks[index].at);
    std::swap(blocks[index], blocks.back());
    blocks.pop_back();
  }
  void resize() {
    Block& block = blocks[any(blocks.size())];
    const std::size_t size = any_size();
    const std::size_t kept = std::min(size, block.copy.size());
    block.at = static_cast<std::byte*>(heap->resize(block.at, size));
    block.copy.resize(size);
    ASSERT_TRUE(std::equal(block.at, block.at + kept, block.copy.begin()));
    // As with realloc, what is beyond the old size may hold anything that was in the block.
    if (kept < size) std::memset(block.at + kept, 0, size - kept);
    if (kept < size) std::memset(block.copy.data() + kept, 0, size - kept);
  }
  void write_noise() {
    Block& block = blocks[any(blocks.size())];
    if (block.copy.empty()) return;
    const std::size_t from = any(block.copy.size());
    const std::size_t length = any(std::min<std::size_t>(block.copy.size() - from, 64) + 1);
    for (std::size_t at = from; at < from + length; ++at) {
      block.at[at] = block.copy[at] = static_cast<std::byte>(random());
    }
  }
  void write_word() {
    Block& block = blocks[any(blocks.size())];
    if (block.copy.size() < 8) return;
    const Block& other = blocks[any(blocks.size())];
    std::uint64_t word = reinterpret_cast<std::uintptr_t>(other.at) + any(other.copy.size() + 1);
    if (any(6) == 0) word = ExtentTable::kTag << 48 | random();
    if (any(6) == 0) word = reinterpret_cast<std::uintptr_t>(heap) + any(kSlotBytes + 16);
    const std::size_t to = any(block.copy.size() / 8) * 8;
    std::memcpy(block.at + to, &word, sizeof word);
    std::memcpy(block.copy.data() + to, &word, sizeof word);
  }
  void freeze() {
    const std::size_t live = heap->live_blocks();
    const std::size_t bytes = heap->live_bytes();
    const SlotHeap::Overflow overflow = heap->overflow();
    heap = &freeze_and_thaw(*heap);
    ASSERT_EQ(heap->live_blocks(), live);
    ASSERT_EQ(heap->live_bytes(), bytes);
    ASSERT_EQ(heap->overflow(), overflow);
    for (const Block& block : blocks) check(block);
  }
  void check(const Block& block) {
    ASSERT_TRUE(std::equal(block.copy.begin(), block.copy.end(), block.at));
    ASSERT_GE(heap->capacity(block.at), block.copy.size());
  }

  void step() {
    const std::size_t choice = any(100);
    if (blocks.empty() || (choice < 30 && blocks.size() < 400)) return obtain();
    if (choice < 55) return release();
    if (choice < 65) return resize();
    if (choice < 80) return write_noise();
    if (choice < 97) return write_word();
    freeze();
  }

  std::mt19937 random;
  SlotHeap* heap;
  std::vector<Block> blocks;
};

TEST_F(SlotModel, AgreesWithThePlainHeap) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    random.seed(seed);
    for (int steps = 0; steps < 2000 && !HasFatalFailure(); ++steps) step();
    while (!blocks.empty() && !HasFatalFailure()) release();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    ASSERT_EQ(heap->live_blocks(), 0U);
    ASSERT_EQ(heap->overflow(), SlotHeap::Overflow{});
  }
  want_given_back(*heap);
}

}  // namespace
}  // namespace h2park::freezer
