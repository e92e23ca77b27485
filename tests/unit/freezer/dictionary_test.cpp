#include "freezer/dictionary.hpp"

#include "unit/freezer/slot_fixture.hpp"
#include "unit/freezer/slot_session.hpp"

namespace h2park::freezer {
namespace {

class DictionaryTest : public test::WithSlots {
 protected:
  DictionaryTest() : WithSlots(64) {}

  SlotHeap& session(const test::ClientKind& kind) {
    SlotHeap& heap = take();
    test::SlotSession& made = test::SlotSession::make(heap);
    made.output();
    for (const std::string& write : test::record_client(kind, random)) made.feed(write);
    return heap;
  }
  Result<Dictionary::Ref> build(std::size_t samples, bool mixed) {
    std::vector<SlotHeap*> heaps;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      heaps.push_back(&session({.mixed = mixed, .requests = 1 + static_cast<int>(sample % 2)}));
    }
    auto made = Dictionary::build(heaps);
    for (SlotHeap* heap : heaps) end(*heap);
    return made;
  }
  void end(SlotHeap& heap) {
    test::SlotSession::end(heap);
    want_given_back(heap);
  }
  std::size_t image_bytes(Packer& packer, const test::ClientKind& kind) {
    SlotHeap& heap = session(kind);
    Image image = packer.pack(heap);
    const std::size_t bytes = image.block().size();
    EXPECT_TRUE(packer.unpack(image, &heap).has_value());
    end(heap);
    return bytes;
  }

  std::mt19937 random{17};
};

TEST_F(DictionaryTest, NeedsASample) {
  EXPECT_FALSE(Dictionary::build(std::span<SlotHeap* const>{}).has_value());
  EXPECT_EQ(Dictionary::count(), 0U);
}

TEST_F(DictionaryTest, IsBuiltFromOneSampleOrMany) {
  for (const std::size_t samples : {1, 2, 8, 40}) {
    for (const bool mixed : {false, true}) {
      EXPECT_TRUE(build(samples, mixed).has_value()) << samples;
      EXPECT_EQ(Dictionary::count(), 0U);
    }
  }
}

TEST_F(DictionaryTest, LeavesItsSamplesUsable) {
  SlotHeap& heap = session({.mixed = true});
  const std::array sample{&heap};
  const auto made = Dictionary::build(sample);
  const std::string ping("\0\0\x08\x06\0\0\0\0\0abcdefgh", 17);
  EXPECT_EQ(test::SlotSession::in(heap).feed(ping), std::string("\0\0\x08\x06\x01\0\0\0\0abcdefgh", 17));
  end(heap);
}

TEST_F(DictionaryTest, LivesAsLongAsItsLastReference) {
  Dictionary::Ref first = *build(1, false);
  const std::uint8_t number = first->number();
  Dictionary::Ref second = first;
  EXPECT_EQ(second.get(), first.get());
  first = Dictionary::Ref();
  EXPECT_EQ(Dictionary::find(number), second.get());
  second = Dictionary::Ref();
  EXPECT_EQ(Dictionary::find(number), nullptr);
  EXPECT_EQ(Dictionary::find(255), nullptr);
}

TEST_F(DictionaryTest, IsRefusedWhenTooManyLive) {
  std::vector<Dictionary::Ref> living;
  for (std::size_t made = 0; made < Dictionary::kMost; ++made) living.push_back(*build(1, false));
  const auto refused = build(1, false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("too many"), std::string::npos);
  living.erase(living.begin() + 3);
  EXPECT_EQ((*build(1, false))->number(), 3U);
}

// The promise that the freezer exists for, with some room for another version of nghttp2 or zstd.
TEST_F(DictionaryTest, MakesImagesOfALikeFleet40BytesAndOfAMixedOne140) {
  Packer packer = *Packer::make(*build(2, false));
  const auto mean = [&](bool mixed) {
    std::size_t total = 0;
    for (int client = 0; client < 50; ++client) total += image_bytes(packer, {.mixed = mixed});
    return total / 50;
  };
  EXPECT_LE(mean(false), 40U);
  packer.use(*build(8, true));
  EXPECT_LE(mean(true), 140U);
}

// What is left are counters with more digits.
TEST_F(DictionaryTest, MakesImagesOfManyRequestsAsSmallAsOfTwo) {
  Packer packer = *Packer::make(*build(8, true));
  const auto size_after = [&](int requests) {
    random.seed(23);
    return image_bytes(packer, {.mixed = true, .requests = requests});
  };
  const std::size_t after_two = size_after(2);
  EXPECT_LE(size_after(100), after_two + 24);
  EXPECT_LE(size_after(3000), after_two + 24);
}

}  // namespace
}  // namespace h2park::freezer
