#include "freezer/shape.hpp"

#include "freezer/shape_book.hpp"
#include "unit/freezer/slot_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace h2park::freezer {
namespace {

/// A few linked structures and a text, as a connection has them; the same places for all texts of a length.
struct Tenant {
  Tenant* self;
  const void* code;
  std::uint64_t number;
  char* text;
};
constexpr int kCode = 0;

class ShapeTest : public test::WithSlots {
 protected:
  ShapeTest() : known(samples()) {}

  Tenant& move_in(SlotHeap& heap, std::string_view text, std::uint64_t number = 7) {
    auto* tenant = static_cast<Tenant*>(heap.obtain(sizeof(Tenant)));
    tenant->self = tenant;
    tenant->code = &kCode;
    tenant->number = number;
    tenant->text = test::put_text(heap, text);
    heap.set_root(tenant);
    return *tenant;
  }
  void move_out(SlotHeap& heap) {
    auto* tenant = static_cast<Tenant*>(heap.root());
    heap.release(tenant->text);
    heap.release(tenant);
    want_given_back(heap);
  }
  std::vector<std::byte> whole(const SlotHeap& heap) const {
    const std::vector<std::byte> blocks = bytes_of(heap);
    heap.mark_room();
    return blocks;
  }
  std::optional<std::vector<std::byte>> left(const Shape& shape, const SlotHeap& heap) const {
    std::array<std::byte, Shape::kMostResidual> residual;
    const auto size = shape.subtract(heap, residual);
    heap.mark_room();
    if (!size) return std::nullopt;
    return std::vector(residual.begin(), residual.begin() + static_cast<std::ptrdiff_t>(*size));
  }
  /// As discarding its pages leaves it.
  void empty(SlotHeap& heap) {
    unpoison(&heap, kSlotBytes);
    std::memset(static_cast<void*>(&heap), 0, kSlotBytes);
  }

  KnownWords known;

 private:
  KnownWords samples() {
    std::vector<SlotHeap*> heaps;
    for (int i = 0; i < 4; ++i) {
      heaps.push_back(&take());
      move_in(*heaps.back(), "sample " + std::to_string(i), static_cast<std::uint64_t>(i));
      heaps.back()->settle();
    }
    KnownWords words(heaps);
    for (SlotHeap* heap : heaps) move_out(*heap);
    return words;
  }
};

TEST_F(ShapeTest, KnowsWhatMostSamplesHave) {
  EXPECT_TRUE(known.has(reinterpret_cast<std::uintptr_t>(&kCode)));
  EXPECT_FALSE(known.has(0)) << "nothing is what there is without it";
  EXPECT_FALSE(known.has(3)) << "only one had it";
}

TEST_F(ShapeTest, RestoresAnotherSlotOfTheSameLayout) {
  SlotHeap& first = take();
  move_in(first, "the first client", 1);
  const auto shape = Shape::learn(first, known);
  SlotHeap& second = take();
  Tenant& tenant = move_in(second, "another client!!", 0xFFFF'FFFF'FFFF'FFFF);
  ASSERT_TRUE(shape->fits(second));
  const auto before = whole(second);
  const auto residual = left(*shape, second);
  ASSERT_TRUE(residual);
  EXPECT_EQ(whole(second), before) << "subtracting changes nothing";
  empty(second);
  ASSERT_EQ(shape->add(*residual, &second), &second);
  EXPECT_EQ(whole(second), before);
  EXPECT_EQ(second.root(), &tenant);
  EXPECT_EQ(tenant.text, std::string_view("another client!!"));
  move_out(first);
  move_out(second);
}

TEST_F(ShapeTest, IsLittleLongerThanWhatDiffers) {
  SlotHeap& first = take();
  move_in(first, "the first client", 1);
  const auto shape = Shape::learn(first, known);
  SlotHeap& second = take();
  move_in(second, "the first client", 2);
  const auto residual = left(*shape, second);
  ASSERT_TRUE(residual);
  EXPECT_LE(residual->size(), std::string_view("the first client").size() + 1 + 2);
  move_out(first);
  move_out(second);
}

TEST_F(ShapeTest, RemembersNothingThatAClientMayHaveSaid) {
  SlotHeap& heap = take();
  move_in(heap, "session=0123456789abcdef0123456789abcdef", 0x5EC2E75EC2E7);
  const auto shape = Shape::learn(heap, known);
  SlotHeap& other = take();
  empty(other);
  const std::vector<std::byte> nothing(100);  // no bytes of whatever varies
  std::size_t length = 0;
  while (length < nothing.size() && shape->add(std::span(nothing).first(length), &other) == nullptr) {
    empty(other);
    ++length;
  }
  ASSERT_LT(length, nothing.size());
  const auto bytes = whole(other);
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof *words; ++i) {
    const bool pointer = words[i] - reinterpret_cast<std::uintptr_t>(&other) < kSlotBytes;
    EXPECT_TRUE(words[i] == 0 || pointer || known.has(words[i])) << "word " << i;
  }
  auto* tenant = static_cast<Tenant*>(other.root());
  EXPECT_EQ(tenant->self, tenant);
  EXPECT_EQ(tenant->code, &kCode);
  EXPECT_EQ(tenant->number, 0U);
  EXPECT_EQ(tenant->text, std::string_view());
  move_out(heap);
  move_out(other);
}

TEST_F(ShapeTest, RestoresWordsThatLookLikePointersExactly) {
  SlotHeap& first = take();
  move_in(first, "text", 0);
  const auto shape = Shape::learn(first, known);
  SlotHeap& second = take();
  const auto slot = reinterpret_cast<std::uintptr_t>(&second);
  // A number that is an address in the slot, and pointers that are not where the shape expects them.
  Tenant& tenant = move_in(second, "text", slot + 8);
  for (Tenant* self : {static_cast<Tenant*>(nullptr), reinterpret_cast<Tenant*>(slot + kSlotBytes - 1),
                       reinterpret_cast<Tenant*>(slot + kSlotBytes), reinterpret_cast<Tenant*>(~slot)}) {
    tenant.self = self;
    const auto residual = left(*shape, second);
    ASSERT_TRUE(residual);
    empty(second);
    ASSERT_NE(shape->add(*residual, &second), nullptr);
    EXPECT_EQ(tenant.self, self);
    EXPECT_EQ(tenant.number, slot + 8);
  }
  move_out(first);
  move_out(second);
}

TEST_F(ShapeTest, FitsNoOtherLayout) {
  SlotHeap& first = take();
  move_in(first, "short");
  const auto shape = Shape::learn(first, known);
  SlotHeap& second = take();
  move_in(second, "so much longer that its block has two granules");
  EXPECT_FALSE(shape->fits(second));
  EXPECT_NE(shape->layout_hash(), second.layout_hash());
  move_out(first);
  move_out(second);
}

TEST_F(ShapeTest, LeavesToOthersWhatHasTooMuchOfItsOwn) {
  std::string noise(2 * Shape::kMostResidual, ' ');
  std::mt19937 random(5);
  for (char& c : noise) c = static_cast<char>(1 + random() % 255);
  SlotHeap& heap = take();
  move_in(heap, noise);
  const auto shape = Shape::learn(heap, known);
  EXPECT_FALSE(left(*shape, heap));
  EXPECT_EQ(static_cast<Tenant*>(heap.root())->text, noise);
  move_out(heap);
}

TEST_F(ShapeTest, ReachesAcrossLongStretchesWithoutADifference) {
  SlotHeap& heap = take();
  auto* block = static_cast<std::uint64_t*>(heap.obtain(24'000));
  const auto shape = Shape::learn(heap, known);
  for (const std::size_t distance : {1UL, 254UL, 255UL, 256UL, 509UL, 510UL, 511UL, 2999UL}) {
    block[0] = 1;
    block[distance] = 0x0102'0304'0506'0708;
    const auto residual = left(*shape, heap);
    ASSERT_TRUE(residual);
    empty(heap);
    ASSERT_NE(shape->add(*residual, &heap), nullptr);
    EXPECT_EQ(block[0], 1U);
    EXPECT_EQ(block[distance], 0x0102'0304'0506'0708U);
    block[distance] = 0;
  }
  heap.release(block);
  want_given_back(heap);
}

TEST_F(ShapeTest, BelievesNoResidualThatIsNotOne) {
  SlotHeap& heap = take();
  move_in(heap, "a text of some length", 3);
  const auto shape = Shape::learn(heap, known);
  const auto residual = *left(*shape, heap);
  for (std::size_t length = 0; length < residual.size(); ++length) {
    empty(heap);
    EXPECT_EQ(shape->add(std::span(residual).first(length), &heap), nullptr) << length;
  }
  const std::vector<std::vector<std::byte>> wrong_ends{
      {std::byte{0}},                                   // no length
      {std::byte{255}},                                 // a gap without its end
      {std::byte{0}, std::byte{1}, std::byte{0xFF}},    // the first word
      {std::byte{9}, std::byte{1}, std::byte{0xFF}},    // the books
      {std::byte{200}, std::byte{2}, std::byte{0xFF}},  // a byte too few
      {std::byte{200}, std::byte{17}},                  // no such length
      std::vector<std::byte>(64, std::byte{255})        // beyond the slot
  };
  for (const auto& end : wrong_ends) {
    std::vector<std::byte> bytes = residual;
    bytes.insert(bytes.end(), end.begin(), end.end());
    empty(heap);
    EXPECT_EQ(shape->add(bytes, &heap), nullptr);
  }
  empty(heap);
  ASSERT_NE(shape->add(residual, &heap), nullptr);
  move_out(heap);
}

// ---- which are known

class ShapeBookTest : public ShapeTest {
 protected:
  /// A slot with a layout of its own for each `kind`.
  SlotHeap& of_kind(std::size_t kind) {
    SlotHeap& heap = take();
    heap.obtain_inside(16 * (kind + 1));
    heap.settle();
    return heap;
  }
  void end(SlotHeap& heap) {
    heap.release(reinterpret_cast<std::byte*>(&heap) + SlotHeap::first_granule() * kGranuleBytes);
    want_given_back(heap);
  }
  /// The number of the shape that fits; nothing: none does.
  std::optional<std::uint8_t> find(SlotHeap& heap) {
    std::array<std::byte, Shape::kMostResidual> residual;
    const auto fit = book.subtract(heap, known, residual);
    heap.mark_room();
    return fit ? std::optional(fit->number) : std::nullopt;
  }
  std::optional<std::uint8_t> learn(std::size_t kind) {
    SlotHeap& heap = of_kind(kind);
    for (unsigned i = 0; i < ShapeBook::kSights; ++i) EXPECT_EQ(find(heap), std::nullopt);
    const auto number = find(heap);
    end(heap);
    return number;
  }

  ShapeBook book;
};

TEST_F(ShapeBookTest, LearnsALayoutThatComesAgain) {
  EXPECT_EQ(book.count(), 0U);
  const auto number = learn(1);
  ASSERT_TRUE(number);
  EXPECT_EQ(book.count(), 1U);
  SlotHeap& heap = of_kind(1);
  EXPECT_EQ(find(heap), number);
  ASSERT_NE(book.at(*number), nullptr);
  EXPECT_TRUE(book.at(*number)->fits(heap));
  EXPECT_EQ(book.at(*number + 1), nullptr);
  EXPECT_EQ(book.at(0xFF), nullptr);
  end(heap);
}

TEST_F(ShapeBookTest, LearnsALayoutAgainWhereOtherWordsVary) {
  const auto first = learn(60);
  SlotHeap& heap = of_kind(60);
  auto* words = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(&heap) +
                                                 SlotHeap::first_granule() * kGranuleBytes);
  for (std::size_t i = 0; i < 70; ++i) words[i] = 0x0100 + i;  // too many for the first, at three bytes each
  for (unsigned i = 0; i < ShapeBook::kSights; ++i) EXPECT_EQ(find(heap), std::nullopt);
  const auto second = find(heap);
  ASSERT_TRUE(second);
  EXPECT_NE(second, first);
  EXPECT_EQ(find(heap), second);
  EXPECT_EQ(book.count(), 2U);
  std::memset(words, 0, 70 * sizeof *words);
  EXPECT_EQ(find(heap), second) << "it can do that as well";
  end(heap);
}

TEST_F(ShapeBookTest, ReplacesTheOneThatWasNotUsedForLongest) {
  for (std::size_t kind = 0; kind < ShapeBook::kMost; ++kind) ASSERT_EQ(learn(kind), kind);
  SlotHeap& first = of_kind(0);
  EXPECT_EQ(find(first), 0U);
  end(first);
  EXPECT_EQ(learn(100), 1U);
  EXPECT_EQ(book.count(), ShapeBook::kMost);
}

TEST_F(ShapeBookTest, KeepsWhatAnImageNeeds) {
  for (std::size_t kind = 0; kind < ShapeBook::kMost; ++kind) book.hold(*learn(kind));
  EXPECT_EQ(learn(100), std::nullopt);
  book.drop(5);
  EXPECT_EQ(learn(101), 5U);
}

}  // namespace
}  // namespace h2park::freezer
