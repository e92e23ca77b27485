#include "freezer/packer.hpp"

#include "unit/freezer/slot_fixture.hpp"

namespace h2park::freezer {
namespace {

class PackerTest : public test::WithPacker {
 protected:
  static constexpr std::string_view kText = "what a client said, and the server must not forget";
};

TEST_F(PackerTest, FreezesAnEmptySlot) {
  SlotHeap& heap = take();
  SlotHeap& thawed = freeze_and_thaw(heap);
  EXPECT_EQ(thawed.live_blocks(), 0U);
  want_given_back(thawed);
}

TEST_F(PackerTest, RestoresASlotAtTheSameAddresses) {
  SlotHeap& heap = take();
  char* text = test::put_text(heap, kText);
  heap.set_root(text);
  SlotHeap& thawed = freeze_and_thaw(heap);
  EXPECT_EQ(thawed.root(), text);
  EXPECT_EQ(text, kText);
  thawed.release(text);
  want_given_back(thawed);
}

TEST_F(PackerTest, ReturnsTheSlotsPagesWhileItIsFrozen) {
  SlotHeap& heap = take();
  auto* block = static_cast<char*>(heap.obtain(20'000));
  std::memset(block, 'x', 20'000);
  EXPECT_GE(resident_pages(&heap), 5U);
  Image image = packer.pack(heap);
  packer.give_pages_back();
  EXPECT_EQ(resident_pages(&heap), 0U);
  thaw(image, &heap);
  EXPECT_GE(resident_pages(&heap), 5U);
}

TEST_F(PackerTest, TouchesOnlyPagesWithDataWhenItThaws) {
  SlotHeap& heap = take();
  auto* block = static_cast<char*>(heap.obtain(20'000));
  block[19'999] = 'x';
  freeze_and_thaw(heap);
  EXPECT_EQ(resident_pages(&heap), 2U);  // the books', and the one with the 'x'
  EXPECT_EQ(block[0], 0);
  EXPECT_EQ(block[19'999], 'x');
}

TEST_F(PackerTest, FreezesAFullSlotOfNoise) {
  SlotHeap& heap = take();
  std::mt19937 random(2);
  const std::size_t room = kSlotBytes - SlotHeap::first_granule() * kGranuleBytes;
  auto* all = static_cast<unsigned char*>(heap.obtain_inside(room));
  for (std::size_t at = 0; at < room; ++at) all[at] = static_cast<unsigned char>(random());
  const std::vector<unsigned char> before(all, all + room);
  freeze_and_thaw(heap);
  EXPECT_EQ(std::vector<unsigned char>(all, all + room), before);
}

TEST_F(PackerTest, FreezesTheLongestFlatSlot) {
  SlotHeap& heap = take();
  std::mt19937_64 random(2);
  std::vector<std::uint64_t*> blocks;
  std::vector<std::uint64_t> before;
  while (auto* block = static_cast<std::uint64_t*>(heap.obtain_inside(16))) {
    for (int word : {0, 1}) before.push_back(block[word] = ExtentTable::kTag << 48 | random() >> 16);
    blocks.push_back(block);
  }
  freeze_and_thaw(heap);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    ASSERT_EQ(blocks[block][0], before[2 * block]);
    ASSERT_EQ(blocks[block][1], before[2 * block + 1]);
  }
}

TEST_F(PackerTest, FreezesASlotThatOverflowed) {
  SlotHeap& heap = take();
  auto* over = static_cast<char*>(heap.obtain(kSlotBytes + 5));
  auto** holder = static_cast<char**>(heap.obtain(8));
  *holder = over;
  std::memset(over, 'x', kSlotBytes + 5);
  SlotHeap& thawed = freeze_and_thaw(heap);
  EXPECT_EQ(thawed.overflow().blocks, 1U);
  EXPECT_EQ((*holder)[kSlotBytes + 4], 'x');
  thawed.release(*holder);
  thawed.release(holder);
  EXPECT_EQ(thawed.overflow(), SlotHeap::Overflow{});
  want_given_back(thawed);
}

TEST_F(PackerTest, FindsEveryDamagedBitOfAnImage) {
  SlotHeap& heap = take();
  char* text = test::put_text(heap, kText);
  Image image = packer.pack(heap);
  for (std::size_t byte = 0; byte < image.block().size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const auto flip = std::byte{1} << bit;
      image.block()[byte] ^= flip;
      const auto thawed = packer.unpack(image, &heap);
      ASSERT_FALSE(thawed.has_value()) << byte << ":" << bit;
      EXPECT_EQ(thawed.error(), ThawError::kDamaged);
      ASSERT_TRUE(image);
      image.block()[byte] ^= flip;
    }
  }
  thaw(image, &heap);
  EXPECT_EQ(text, kText);
}

TEST_F(PackerTest, FreesADamagedImageWithoutTouchingADictionaryThatIsNotIts) {
  const Dictionary::Ref other = small_dictionary("other");
  SlotHeap& heap = take();
  Image image = packer.pack(heap);
  image.block()[6] = std::byte{other->number()};
  image.reset();
  EXPECT_EQ(Dictionary::find(other->number()), other.get());
  slots.give_back_frozen(slots.index_of(heap));
}

TEST_F(PackerTest, CallsAnImageOfNoSlotMalformed) {
  SlotHeap& heap = take();
  const std::array<std::byte, 100> noise{std::byte{7}};
  Image image(packer.store(), &packer.dictionary(), noise);
  ASSERT_TRUE(image.intact());
  const auto thawed = packer.unpack(image, &heap);
  ASSERT_FALSE(thawed.has_value());
  EXPECT_EQ(thawed.error(), ThawError::kMalformed);
  EXPECT_EQ(resident_pages(&heap), 0U);
  EXPECT_STREQ(to_string(ThawError::kMalformed), "the frozen image is malformed");
  EXPECT_STREQ(to_string(ThawError::kDamaged), "the frozen image is damaged");
}

TEST_F(PackerTest, ThawsImagesOfAnOlderDictionary) {
  SlotHeap& first = take();
  SlotHeap& second = take();
  char* first_text = test::put_text(first, kText);
  char* second_text = test::put_text(second, kText);
  const std::uint8_t old_number = packer.dictionary().number();
  Image old_image = packer.pack(first);
  packer.use(small_dictionary("a newer sample"));
  EXPECT_NE(packer.dictionary().number(), old_number);
  Image new_image = packer.pack(second);
  EXPECT_EQ(old_image.dictionary()->number(), old_number);
  EXPECT_EQ(new_image.dictionary(), &packer.dictionary());
  thaw(new_image, &second);
  thaw(old_image, &first);
  EXPECT_EQ(first_text, kText);
  EXPECT_EQ(second_text, kText);
  EXPECT_EQ(Dictionary::find(old_number), nullptr) << "it goes with its last image";
}

TEST_F(PackerTest, PoisonsASlotWhileItIsFrozen) {
  if (!kPoisons) GTEST_SKIP() << "needs AddressSanitizer";
#if defined(__SANITIZE_ADDRESS__)
  SlotHeap& heap = take();
  char* text = test::put_text(heap, kText);
  Image image = packer.pack(heap);
  EXPECT_TRUE(__asan_address_is_poisoned(text));
  EXPECT_TRUE(__asan_address_is_poisoned(&heap));
  thaw(image, &heap);
  EXPECT_FALSE(__asan_address_is_poisoned(text));
  EXPECT_TRUE(__asan_address_is_poisoned(text + 64));
#endif
}

TEST_F(PackerTest, IsNoLeakWhileItLives) {
  if (!kPoisons) GTEST_SKIP() << "needs AddressSanitizer";
#if defined(__SANITIZE_ADDRESS__)
  // What only its scratch memory points to: the lists of its image store.
  SlotHeap& heap = take();
  Image image = packer.pack(heap);
  ASSERT_EQ(packer.store().chunks(), 1U);
  EXPECT_EQ(__lsan_do_recoverable_leak_check(), 0);
  thaw(image, &heap);
#endif
}

TEST_F(PackerTest, KeepsTheBooksRightAcrossAFreeze) {
  SlotHeap& heap = take();
  std::vector<void*> blocks;
  for (std::size_t size = 1; size < 500; size += 9) blocks.push_back(heap.obtain(size));
  for (std::size_t block = 0; block < blocks.size(); block += 2) heap.release(blocks[block]);
  const std::size_t live = heap.live_blocks();
  SlotHeap& thawed = freeze_and_thaw(heap);
  EXPECT_EQ(thawed.live_blocks(), live);
  void* hole = blocks[0];
  EXPECT_EQ(thawed.obtain(1), hole) << "the lowest hole comes first";
  thawed.release(hole);
  for (std::size_t block = 1; block < blocks.size(); block += 2) thawed.release(blocks[block]);
  want_given_back(thawed);
}

TEST(Image, IsOnePointerAndEmptyAtFirst) {
  const Image image;
  EXPECT_FALSE(image);
  EXPECT_EQ(image.stored_bytes(), 0U);
  EXPECT_EQ(sizeof(Image), sizeof(void*));
}

TEST_F(PackerTest, CountsAnImagesBytes) {
  SlotHeap& heap = take();
  test::put_text(heap, kText);
  Image image = packer.pack(heap);
  EXPECT_GE(image.stored_bytes(), image.block().size());
  EXPECT_LT(image.stored_bytes(), image.block().size() + kGranuleBytes);
  Image moved = std::move(image);
  EXPECT_FALSE(image);
  EXPECT_TRUE(moved.intact());
}

TEST_F(PackerTest, LearnsTheShapeOfSlotsThatAreAlike) {
  std::vector<Image::Form> forms;
  for (unsigned i = 0; i <= ShapeBook::kSights; ++i) {
    const std::string text = "client " + std::to_string(10 + i);
    SlotHeap& heap = take();
    heap.set_root(test::put_text(heap, text));
    Image image = packer.pack(heap);
    ASSERT_TRUE(image);
    forms.push_back(image.form());
    packer.give_pages_back();
    EXPECT_EQ(resident_pages(&heap), 0U);
    SlotHeap& thawed = thaw(image, &heap);
    EXPECT_EQ(static_cast<char*>(thawed.root()), text);
    thawed.release(thawed.root());
    want_given_back(thawed);
  }
  EXPECT_EQ(std::ranges::count(forms, Image::Form::kFlat), ShapeBook::kSights);
  EXPECT_EQ(forms.back(), Image::Form::kShaped);
}

TEST_F(PackerTest, GivesThePagesOfManySlotsBackTogether) {
  std::vector<SlotHeap*> heaps;
  std::vector<Image> images;
  for (int i = 0; i < 3; ++i) {
    heaps.push_back(&take());
    heaps.back()->set_root(test::put_text(*heaps.back(), kText));
    images.push_back(packer.pack(*heaps.back()));
  }
  packer.give_pages_back();
  for (SlotHeap* heap : heaps) EXPECT_EQ(resident_pages(heap), 0U);
  for (std::size_t i = 0; i < heaps.size(); ++i) {
    SlotHeap& heap = thaw(images[i], heaps[i]);
    packer.give_pages_back();
    EXPECT_EQ(static_cast<char*>(heap.root()), kText) << "what was thawed is discarded no more";
    heap.release(heap.root());
    want_given_back(heap);
  }
}

TEST_F(PackerTest, AThawBeforeThePagesWereGivenBackIsNotUndoneLater) {
  SlotHeap& heap = take();
  char* text = test::put_text(heap, kText);
  Image image = packer.pack(heap);
  SlotHeap& thawed = thaw(image, &heap);
  packer.give_pages_back();
  EXPECT_EQ(text, kText);
  thawed.release(text);
  want_given_back(thawed);
}

TEST_F(PackerTest, RefusesAShapeThatItDoesNotKnow) {
  SlotHeap& heap = take();
  heap.release(test::put_text(heap, kText));
  Image image(packer.store(), nullptr, std::array{std::byte{3}, std::byte{1}});
  unpoison(&heap, kSlotBytes);
  std::memset(static_cast<void*>(&heap), 0, kSlotBytes);
  EXPECT_EQ(packer.unpack(image, &heap).error(), ThawError::kMalformed);
  Image none(packer.store(), nullptr, {});
  EXPECT_EQ(packer.unpack(none, &heap).error(), ThawError::kMalformed);
  slots.give_back_frozen(slots.index_of(heap));
}

}  // namespace
}  // namespace h2park::freezer
