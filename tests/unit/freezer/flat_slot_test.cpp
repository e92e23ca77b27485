#include "freezer/flat_slot.hpp"

#include "unit/freezer/slot_fixture.hpp"

namespace h2park::freezer {
namespace {

using Words = std::vector<std::uint64_t>;

class FlatSlotTest : public test::WithSlots {
 protected:
  FlatSlotTest() : heap(take()) {}

  std::uint64_t* words(std::size_t count) { return static_cast<std::uint64_t*>(heap.obtain(count * 8)); }
  static std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

  std::vector<std::byte> flattened() {
    const auto bytes = flat->flatten(heap);
    return {bytes.begin(), bytes.end()};
  }
  /// Flattens, wipes the slot and restores it. Everything behind the books must be as before.
  void want_restored() {
    const auto saved = flattened();
    const auto before = bytes_of(heap);
    const std::size_t blocks = heap.live_blocks();
    const std::size_t bytes = heap.live_bytes();
    wipe_slot();
    ASSERT_EQ(flat->restore(saved, &heap), &heap);
    EXPECT_EQ(bytes_of(heap), before);
    EXPECT_EQ(heap.live_blocks(), blocks);
    EXPECT_EQ(heap.live_bytes(), bytes);
    EXPECT_EQ(flattened(), saved);
  }
  void wipe_slot() {
    unpoison(&heap, kSlotBytes);
    std::memset(static_cast<void*>(&heap), 0, kSlotBytes);
  }

  SlotHeap& heap;
  std::unique_ptr<FlatSlot> flat = std::make_unique<FlatSlot>();
};

TEST_F(FlatSlotTest, RestoresAnEmptySlot) {
  want_restored();
  EXPECT_EQ(flattened().size(), 24U);
}

TEST_F(FlatSlotTest, RestoresBlocksAndTheHolesBetweenThem) {
  std::vector<char*> texts;
  for (int text = 0; text < 40; ++text)
    texts.push_back(test::put_text(heap, std::string(static_cast<std::size_t>(text), 'a')));
  for (std::size_t text = 0; text < texts.size(); text += 3) heap.release(texts[text]);
  want_restored();
  for (std::size_t text = 1; text < texts.size(); text += 3) {
    EXPECT_EQ(std::string(texts[text]), std::string(text, 'a'));
    heap.release(texts[text]);
  }
}

TEST_F(FlatSlotTest, RestoresPointersToEverything) {
  std::uint64_t* block = words(16);
  char* text = test::put_text(heap, "text in a block of odd size");
  void* freed = heap.obtain(200);
  std::uint64_t* last = words(2);
  const auto* slot = reinterpret_cast<const char*>(&heap);
  block[0] = address(block);       // itself
  block[1] = address(block) + 5;   // the middle of itself
  block[2] = address(text) + 3;    // the middle of another
  block[3] = address(&heap);       // the heap, as containers keep it
  block[4] = address(slot) + 100;  // the heap's books
  block[5] = address(freed) + 17;  // memory that is free by now
  block[6] = address(last + 2);    // the end of the last block
  block[7] = address(slot) + kSlotBytes - 1;
  block[8] = address(slot) + kSlotBytes;  // not in the slot any more
  block[9] = address(slot) - 1;
  block[10] = address(block + 16);  // its own end
  last[1] = address(last);
  heap.release(freed);
  heap.set_root(block);
  const Words before(block, block + 16);
  want_restored();
  EXPECT_EQ(Words(block, block + 16), before);
  EXPECT_EQ(heap.root(), block);
}

TEST_F(FlatSlotTest, RestoresDataThatLooksLikeAPointer) {
  std::uint64_t* block = words(8);
  char text[24];
  const std::uint64_t pointer = address(block) + 40;
  std::memcpy(text, &pointer, 8);
  std::memset(text + 8, 'x', 15);
  text[23] = 0;
  char* copied = test::put_text(heap, {text, 23});
  std::memcpy(reinterpret_cast<char*>(block) + 3, &pointer, 8);  // unaligned: two words that are no pointers
  want_restored();
  EXPECT_EQ(std::memcmp(copied, text, 23), 0);
}

TEST_F(FlatSlotTest, RestoresDataThatLooksLikeATranslatedPointer) {
  std::uint64_t* block = words(64);
  for (std::size_t word = 0; word < 64; word += 2) block[word] = ExtentTable::kTag << 48 | word * 0x10001;
  block[1] = address(block);
  const Words before(block, block + 64);
  want_restored();
  EXPECT_EQ(Words(block, block + 64), before);
}

TEST_F(FlatSlotTest, RestoresZeroRunsOfEveryLength) {
  for (std::size_t run = 0; run < 20; ++run) {
    auto* block = static_cast<char*>(heap.obtain((run + 2) * kGranuleBytes));
    block[0] = block[(run + 1) * kGranuleBytes] = 'x';
  }
  (void)words(100);  // zeros at the end
  want_restored();
}

TEST_F(FlatSlotTest, RestoresASlotThatIsFullOfOneBlock) {
  const std::size_t room = kSlotBytes - SlotHeap::first_granule() * kGranuleBytes;
  auto* all = static_cast<unsigned char*>(heap.obtain_inside(room));
  ASSERT_NE(all, nullptr);
  std::mt19937 random(5);
  for (std::size_t at = 0; at < room; ++at) all[at] = static_cast<unsigned char>(random());
  want_restored();
}

TEST_F(FlatSlotTest, HasRoomForTheWorstOfAllSlots) {
  while (auto* block = static_cast<std::uint64_t*>(heap.obtain_inside(16))) {
    block[0] = block[1] = ExtentTable::kTag << 48 | 0xFFFF'FFFF;
  }
  EXPECT_LE(flattened().size(), kMostFlatBytes);
  EXPECT_GT(flattened().size(), kMostFlatBytes / 10 * 9);
  want_restored();
}

TEST_F(FlatSlotTest, HasRoomForTheMostRuns) {
  std::vector<void*> blocks;
  while (auto* block = static_cast<char*>(heap.obtain_inside(5 * kGranuleBytes))) block[0] = 'x';
  want_restored();
}

TEST_F(FlatSlotTest, RemembersWhatOverflowed) {
  void* over = heap.obtain(2 * kSlotBytes);
  auto** holder = reinterpret_cast<void**>(words(2));
  holder[0] = over;
  const SlotHeap::Overflow before = heap.overflow();
  want_restored();
  EXPECT_EQ(heap.overflow(), before);
  EXPECT_EQ(holder[0], over);
  heap.release(over);
}

TEST_F(FlatSlotTest, IsTheSameForTheSameBlocksWhateverWasFreedBetween) {
  std::uint64_t* first = words(8);
  first[0] = address(words(8));
  const auto before = flattened();
  std::vector<void*> passing;
  for (std::size_t size = 1; size < 800; size += 7) passing.push_back(heap.obtain(size));
  for (std::size_t block = 0; block < passing.size(); block += 2) heap.release(passing[block]);
  for (std::size_t block = 1; block < passing.size(); block += 2) heap.release(passing[block]);
  EXPECT_EQ(flattened(), before);
}

TEST_F(FlatSlotTest, KeepsStructuresAlikeWhenATextBetweenThemIsLonger) {
  const auto build = [](SlotHeap& in, std::string_view text) {
    auto* head = static_cast<const void**>(in.obtain(64));
    head[0] = test::put_text(in, text);
    auto* tail = static_cast<const void**>(in.obtain(64));
    head[1] = tail;
    tail[0] = head;
    tail[1] = tail;
  };
  SlotHeap& other = take();
  build(heap, "short, odd");
  build(other, "a text that takes a good deal more room than the short one");
  const auto a = flattened();
  const auto bytes = flat->flatten(other);
  const std::vector<std::byte> b(bytes.begin(), bytes.end());
  // Head, three extents, then both structures.
  const std::size_t structures = 24 + 3 * ExtentTable::kCodeBytes;
  EXPECT_TRUE(std::equal(a.begin() + structures, a.begin() + structures + 128, b.begin() + structures));
}

TEST_F(FlatSlotTest, RefusesWhatIsCutShortOrTooLong) {
  (void)words(30);
  words(3)[0] = address(&heap) + 5000;
  test::put_text(heap, "some text");
  auto saved = flattened();
  for (std::size_t length = 0; length < saved.size(); ++length) {
    wipe_slot();
    EXPECT_EQ(flat->restore(std::span(saved).first(length), &heap), nullptr) << length;
  }
  saved.push_back(std::byte{0});
  wipe_slot();
  EXPECT_EQ(flat->restore(saved, &heap), nullptr);
}

TEST_F(FlatSlotTest, SurvivesAnyDamage) {
  for (int block = 0; block < 20; ++block) {
    std::uint64_t* some = words(12);
    some[0] = address(some);
    some[3] = address(&heap) + static_cast<std::uint64_t>(block) * 700;
    some[7] = ExtentTable::kTag << 48;
    test::put_text(heap, "text");
  }
  const auto saved = flattened();
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = saved;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    }
    wipe_slot();
    // Some damage makes another valid slot; none may touch anything outside of it, which AddressSanitizer
    // sees.
    SlotHeap* restored = flat->restore(damaged, &heap);
    EXPECT_TRUE(restored == nullptr || restored == &heap);
  }
  wipe_slot();
  EXPECT_NE(flat->restore(saved, &heap), nullptr);
}

}  // namespace
}  // namespace h2park::freezer
