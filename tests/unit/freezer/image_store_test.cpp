#include "freezer/image_store.hpp"

#include "unit/freezer/slot_fixture.hpp"

#include <algorithm>
#include <fstream>

namespace h2park::freezer {
namespace {

using Block = ImageStore::Block;

class ImageStoreTest : public testing::Test {
 protected:
  Block put(std::size_t bytes, char with = 'x') {
    const Block block = store.obtain(bytes);
    EXPECT_TRUE(block);
    EXPECT_GE(block.capacity(), bytes);
    std::memset(block.data(), with, bytes);
    return block;
  }
  /// Whether the kernel was told to leave the address out of core dumps.
  static bool is_dumped(const void* address) {
    std::ifstream maps("/proc/self/smaps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
      std::uintptr_t from = 0;
      std::uintptr_t to = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) here = from <= wanted && wanted < to;
      if (here && line.starts_with("VmFlags:")) return line.find(" dd") == std::string::npos;
    }
    ADD_FAILURE() << "no mapping";
    return true;
  }

  ImageStore store;
};

TEST_F(ImageStoreTest, KeepsSmallBlocksTogether) {
  std::vector<Block> blocks;
  for (char block = 0; block < 100; ++block) blocks.push_back(put(60, block));
  EXPECT_EQ(store.chunks(), 1U);
  for (std::size_t block = 0; block < 100; ++block) {
    EXPECT_EQ(blocks[block].data()[59], static_cast<std::byte>(block));
    EXPECT_EQ(blocks[block].cost(), 64U);
    ImageStore::release(blocks[block]);
  }
  EXPECT_EQ(store.chunks(), 0U);
}

TEST_F(ImageStoreTest, GrowsBeyondItsFirstGroupAndShrinksAgain) {
  std::vector<Block> blocks;
  for (int block = 0; block < 3000; ++block) blocks.push_back(put(1500));
  EXPECT_GT(store.chunks(), 128U);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(3));
  for (const Block block : blocks) ImageStore::release(block);
  EXPECT_EQ(store.chunks(), 0U);
}

TEST_F(ImageStoreTest, FillsHolesBeforeItGrows) {
  std::vector<Block> blocks;
  for (int block = 0; block < 2000; ++block) blocks.push_back(put(100));
  const std::size_t before = store.chunks();
  for (std::size_t block = 0; block < blocks.size(); block += 2) ImageStore::release(blocks[block]);
  for (std::size_t block = 0; block < blocks.size(); block += 2) blocks[block] = put(90);
  EXPECT_EQ(store.chunks(), before);
  for (const Block block : blocks) ImageStore::release(block);
}

TEST_F(ImageStoreTest, GivesLargeBlocksPagesOfTheirOwn) {
  for (const std::size_t bytes : {8193, 32'768, 65'535}) {
    const Block block = put(bytes);
    EXPECT_EQ(store.chunks(), 0U);
    EXPECT_FALSE(is_dumped(block.data()));
    ImageStore::release(block);
  }
}

TEST_F(ImageStoreTest, IsInNoCoreDump) {
  const Block block = put(100);
  EXPECT_FALSE(is_dumped(block.data()));
  EXPECT_TRUE(is_dumped(&store));
  ImageStore::release(block);
}

TEST_F(ImageStoreTest, ZeroesWhatIsReleased) {
  const Block kept = put(16);
  const Block block = put(200);
  std::byte* data = block.data();
  ImageStore::release(block);
  unpoison(data, 200);
  // But for a link to the next free block.
  EXPECT_TRUE(std::all_of(data + 2, data + 200, [](std::byte byte) { return byte == std::byte{0}; }));
  poison(data, 200);
  ImageStore::release(kept);
}

TEST_F(ImageStoreTest, AgreesWithAModelOverRandomSizes) {
  struct Copy {
    Block block;
    std::size_t bytes;
    char with;
  };
  std::mt19937 random(13);
  std::vector<Copy> copies;
  for (int step = 0; step < 20'000; ++step) {
    if (copies.size() < 300 || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (random() % 50 == 0 ? 20'000 : 400);
      const auto with = static_cast<char>(random());
      copies.push_back({put(bytes, with), bytes, with});
    } else {
      std::swap(copies[random() % copies.size()], copies.back());
      const Copy copy = copies.back();
      copies.pop_back();
      const auto* data = copy.block.data();
      ASSERT_TRUE(std::all_of(data, data + copy.bytes,
                              [&](std::byte byte) { return byte == static_cast<std::byte>(copy.with); }));
      ImageStore::release(copy.block);
    }
  }
  for (const Copy& copy : copies) ImageStore::release(copy.block);
  EXPECT_EQ(store.chunks(), 0U);
}

}  // namespace
}  // namespace h2park::freezer
