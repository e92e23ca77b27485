// The proof by difference: what a server says to real clients does not depend on whether it freezes their
// connections, wherever their bytes are cut.
#include "recording.hpp"
#include "server/tickets.hpp"
#include "support/replay_pair.hpp"

#include <gtest/gtest.h>

#include <array>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;

class FrozenStream : public testing::TestWithParam<Recording> {
 protected:
  FrozenStream() {
    pair.frozen.at_rest = [this](server::Ticket& ticket, std::size_t) {
      ++images[static_cast<std::size_t>(ticket.image.form())];
    };
  }
  static const std::string& bytes() { return GetParam().bytes; }

  bool same(const StreamReplay::Plan& plan) {
    const std::string difference = pair.difference(plan);
    EXPECT_EQ(difference, "") << "cut at " << testing::PrintToString(plan.cuts);
    return difference.empty();
  }

  /// So many cuts found the connection in a state in which it may be frozen: with HTTP/2 any, unless the
  /// client has said goodbye and is cut in a second goodbye, as Node is; with HTTP/1 a head must be complete.
  void want_frozen_at(std::size_t frozen_cuts, std::size_t cuts) {
    constexpr std::size_t kGoawayBytes = 17;
    if (GetParam().http2()) {
      EXPECT_GE(frozen_cuts + kGoawayBytes, cuts);
    } else if (GetParam().has_upload()) {
      EXPECT_GT(frozen_cuts, cuts * 8 / 10);
    } else if (kStride == 1) {
      EXPECT_GT(frozen_cuts, 0U);
    }
    if (GetParam().http2()) {
      EXPECT_GT(images[0], 0U) << "flattened";
      EXPECT_GT(images[1], 0U) << "without its shape";
    }
    EXPECT_EQ(pair.freezes(), pair.thaws());
    EXPECT_EQ(pair.slots_kept(), 0U);
  }

  ReplayPair pair;
  std::array<std::size_t, 2> images{};  // by Image::Form
};
INSTANTIATE_TEST_SUITE_P(Recorded, FrozenStream, testing::ValuesIn(recordings()), name_of);

TEST_P(FrozenStream, IsAnsweredTheSameWithAFreezeAtAnyOneCut) {
  const auto cuts = offsets(bytes().size(), kStride);
  std::size_t frozen_cuts = 0;
  for (const std::size_t cut : cuts) {
    ASSERT_TRUE(same({.bytes = bytes(), .cuts = {cut}}));
    if (pair.got.rested[1]) ++frozen_cuts;  // after the first piece
  }
  want_frozen_at(frozen_cuts, cuts.size());
}

TEST_P(FrozenStream, IsAnsweredTheSameWithFreezesAtSomeCuts) {
  std::mt19937 random(7);
  for (std::size_t round = 0; round < 20 + 200 / kStride; ++round) {
    const Duration step = round % 2 == 0 ? 10ms : 100ms;
    ASSERT_TRUE(same({.bytes = bytes(), .cuts = random_offsets(bytes().size(), random), .step = step}));
  }
  EXPECT_EQ(pair.slots_kept(), 0U);
}

TEST_P(FrozenStream, IsAnsweredTheSameWithAFreezeAfterEachByte) {
  const auto cuts = offsets(bytes().size());
  ASSERT_TRUE(same({.bytes = bytes(), .cuts = cuts, .step = 1ms}));
  // Each cut is two moments, of which the second needs no new freeze if nothing happens.
  want_frozen_at(std::min<std::size_t>(pair.got.rests() / 2, pair.freezes()), cuts.size());
}

}  // namespace
}  // namespace h2park::test
