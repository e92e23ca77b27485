// Four threads share slots and dictionaries, for ThreadSanitizer.
#include "unit/freezer/slot_fixture.hpp"

#include <atomic>
#include <thread>

namespace h2park::freezer {
namespace {

class FreezerRace : public test::WithSlots {
 protected:
  FreezerRace() : WithSlots(64) {}

  Dictionary::Ref dictionary(std::string_view word) {
    SlotHeap& heap = take();
    char* text = test::put_text(heap, word);
    const std::array sample{&heap};
    Dictionary::Ref made = Dictionary::build(sample).value();
    heap.release(text);
    want_given_back(heap);
    return made;
  }

  /// One worker's life: connections come, freeze, thaw and go; now and then a newer dictionary arrives.
  void work(Dictionary::Ref first, unsigned seed) {
    std::mt19937 random(seed);
    Packer packer = Packer::make(std::move(first)).value();
    for (int connection = 0; connection < 300; ++connection) {
      SlotHeap& heap = take();
      const std::string said = "connection " + std::to_string(random());
      char* text = test::put_text(heap, said);
      if (connection % 50 == 49) packer.use(dictionary(said));
      Image image = packer.pack(heap);
      const auto thawed = packer.unpack(image, &heap);
      ASSERT_TRUE(thawed.has_value());
      ASSERT_EQ(text, said);
      (*thawed)->release(text);
      want_given_back(**thawed);
    }
  }
};

TEST_F(FreezerRace, WorkersShareSlotsAndDictionaries) {
  {
    const Dictionary::Ref shared = dictionary("shared");
    std::vector<std::thread> workers;
    for (unsigned worker = 0; worker < 4; ++worker) {
      workers.emplace_back([this, &shared, worker] { work(shared, worker); });
    }
    for (std::thread& worker : workers) worker.join();
  }
  EXPECT_EQ(slots.taken(), 0U);
  EXPECT_EQ(slots.quarantined(), 0U);
  EXPECT_EQ(Dictionary::count(), 0U);
}

}  // namespace
}  // namespace h2park::freezer
