// Real nghttp2 sessions in slots: frozen and thawed after every byte, they say what they would have said
// anyway.
#include "unit/freezer/slot_fixture.hpp"
#include "unit/freezer/slot_session.hpp"

namespace h2park::freezer {
namespace {

using test::ClientKind;
using test::SlotSession;

class SessionFreeze : public test::WithPacker {
 protected:
  SlotHeap& begin() {
    SlotHeap& heap = take();
    SlotSession::make(heap);
    return heap;
  }
  void end(SlotHeap& heap) {
    SlotSession::end(heap);
    want_given_back(heap);
  }

  std::string output_without_freezing(std::string_view bytes) {
    SlotHeap& heap = begin();
    std::string said = SlotSession::in(heap).output();
    for (const char byte : bytes) said += SlotSession::in(heap).feed({&byte, 1});
    end(heap);
    return said;
  }
  std::string output_frozen_at_every_byte(std::string_view bytes) {
    SlotHeap* heap = &begin();
    heap = &freeze_and_thaw(*heap);
    std::string said = SlotSession::in(*heap).output();
    for (const char byte : bytes) {
      heap = &freeze_and_thaw(*heap);
      said += SlotSession::in(*heap).feed({&byte, 1});
    }
    end(freeze_and_thaw(*heap));
    return said;
  }
  void want_no_difference(const ClientKind& kind) {
    const std::string bytes = test::concatenated(test::record_client(kind, random));
    const std::string wanted = output_without_freezing(bytes);
    EXPECT_GT(wanted.size(), 50U);
    EXPECT_EQ(output_frozen_at_every_byte(bytes), wanted);
  }

  std::mt19937 random{29};
};

TEST_F(SessionFreeze, ChangesNothingForOneRequest) { want_no_difference({}); }

TEST_F(SessionFreeze, ChangesNothingForClientsOfEveryKind) {
  for (int client = 0; client < 10; ++client) want_no_difference({.mixed = true, .requests = 3, .pings = 1});
}

TEST_F(SessionFreeze, ChangesNothingWhileAStreamIsOpen) {
  want_no_difference({.mixed = true, .requests = 2, .pings = 2, .leaves_streams_open = true});
}

TEST_F(SessionFreeze, ChangesNothingWithRandomCuts) {
  const std::string bytes =
      test::concatenated(test::record_client({.mixed = true, .requests = 20, .pings = 3}, random));
  SlotHeap& plain = begin();
  const std::string wanted = SlotSession::in(plain).output() + SlotSession::in(plain).feed(bytes);
  end(plain);
  for (int round = 0; round < 30; ++round) {
    SlotHeap* heap = &begin();
    std::string said = SlotSession::in(*heap).output();
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = std::min<std::size_t>(1 + random() % 60, bytes.size() - at);
      said += SlotSession::in(*heap).feed(std::string_view(bytes).substr(at, length));
      at += length;
      heap = &freeze_and_thaw(*heap);
    }
    // Frames are the same, but how many answers wait for one call depends on the cuts: compare what was said
    // in all.
    EXPECT_EQ(said.size(), wanted.size());
    end(*heap);
  }
}

TEST_F(SessionFreeze, IsFoundOutWhenAThawRestoresTheWrongThing) {
  const auto writes = test::record_client({.mixed = true, .requests = 2}, random);
  SlotHeap& heap = begin();
  SlotSession::in(heap).output();
  // What was frozen before the first request, brought back after it.
  Image early = packer.pack(heap);
  const auto copy = early.packed();
  Image stale(packer.store(), early.dictionary(), copy);
  SlotHeap& thawed = thaw(early, &heap);
  const std::string first = SlotSession::in(thawed).feed(writes[0]);
  Image late = packer.pack(thawed);
  late.reset();
  SlotHeap& wrong = thaw(stale, &heap);
  EXPECT_THROW(SlotSession::in(wrong).feed(writes[1]), std::runtime_error);
}

TEST_F(SessionFreeze, LeavesNothingInTheSlotWhenTheSessionEnds) {
  SlotHeap& heap = begin();
  const auto writes =
      test::record_client({.mixed = true, .requests = 5, .leaves_streams_open = true}, random);
  for (const std::string& write : writes) SlotSession::in(heap).feed(write);
  SlotHeap& thawed = freeze_and_thaw(heap);
  SlotSession::end(thawed);
  EXPECT_EQ(thawed.live_blocks(), 0U);
  thawed.settle();
  for (const std::byte byte : bytes_of(thawed)) ASSERT_EQ(byte, std::byte{0});
}

TEST_F(SessionFreeze, StaysCompactOverThousandsOfRequests) {
  const auto touched_after = [&](int requests) {
    random.seed(31);
    SlotHeap& heap = begin();
    for (const std::string& write : test::record_client({.mixed = true, .requests = requests}, random)) {
      SlotSession::in(heap).feed(write);
    }
    const std::size_t touched = heap.touched_bytes();
    EXPECT_EQ(heap.overflow().blocks, 0U);
    end(heap);
    return touched;
  };
  EXPECT_EQ(touched_after(3000), touched_after(5));
}

}  // namespace
}  // namespace h2park::freezer
