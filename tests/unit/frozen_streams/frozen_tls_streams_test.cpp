// The proof by difference through TLS: cuts fall into the handshake's messages, into records and between
// them. What the server says is compared in plain text: the records themselves never repeat.
#include "recording.hpp"
#include "support/replay_pair.hpp"

#include <gtest/gtest.h>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;

class FrozenTlsStream : public testing::TestWithParam<std::tuple<Recording, int>> {
 protected:
  FrozenTlsStream() { pair.secure(); }

  static const Recording& recording() { return std::get<0>(GetParam()); }
  StreamReplay::Plan plan(std::vector<std::size_t> cuts, Duration step = 100ms) const {
    return {.bytes = recording().bytes, .cuts = std::move(cuts), .step = step, .tls = &client_};
  }
  /// Over the wire, from the client: without `text` its handshake.
  std::size_t wire_bytes(std::string_view text = recording().bytes) {
    EXPECT_EQ(pair.difference({.bytes = text, .cuts = {}, .tls = &client_}), "");
    return pair.got.sent;
  }

  bool same(const StreamReplay::Plan& plan) {
    const std::string difference = pair.difference(plan);
    EXPECT_EQ(difference, "") << "cut at " << testing::PrintToString(plan.cuts);
    return difference.empty();
  }

  ReplayPair pair;

 private:
  const tls::TlsClientOptions client_{
      .version = std::get<1>(GetParam()),
      .alpn = {recording().http2() ? "h2" : "http/1.1"},
      .server_name = "localhost",
  };
};
INSTANTIATE_TEST_SUITE_P(Recorded, FrozenTlsStream,
                         testing::Combine(testing::ValuesIn(recordings()),
                                          testing::Values(TLS1_2_VERSION, TLS1_3_VERSION)),
                         [](const auto& test) {
                           const bool tls13 = std::get<1>(test.param) == TLS1_3_VERSION;
                           return std::get<0>(test.param).name + (tls13 ? "_tls13" : "_tls12");
                         });

// Each play has its handshake, so all cuts take long: of the larger recordings some fifty are tried, spread
// evenly. The test after the next has all of them, on one connection.
TEST_P(FrozenTlsStream, IsAnsweredTheSameWithAFreezeAtAnyOneCut) {
  constexpr std::size_t kSmall = 2'000;
  const std::size_t bytes = wire_bytes();
  const bool all = kStride == 1 && bytes <= kSmall;
  for (const std::size_t cut : offsets(bytes, all ? 1 : bytes / 50 * std::min<std::size_t>(kStride, 7) + 1))
    ASSERT_TRUE(same(plan({cut})));
  EXPECT_EQ(pair.slots_kept(), 0U);
}

TEST_P(FrozenTlsStream, IsAnsweredTheSameWithFreezesAtSomeCuts) {
  std::mt19937 random(11);
  const std::size_t bytes = wire_bytes();
  for (std::size_t round = 0; round < 2 + 12 / kStride; ++round)
    ASSERT_TRUE(same(plan(random_offsets(bytes, random))));
  EXPECT_EQ(pair.slots_kept(), 0U);
}

TEST_P(FrozenTlsStream, IsAnsweredTheSameWithAFreezeAfterEachByte) {
  const std::size_t handshake = wire_bytes({});
  // Of an upload every seventh byte.
  const auto cuts = offsets(wire_bytes(), (recording().bytes.size() > 8'000 ? 7 : 1) * kStride);
  const std::uint64_t before = pair.freezes();
  ASSERT_TRUE(same(plan(cuts, 1ms)));
  const auto later =
      static_cast<std::size_t>(std::ranges::count_if(cuts, [&](auto cut) { return cut >= handshake; }));
  // Connections that still shake hands are not parked; nor are those of HTTP/1 with half a head.
  if (recording().http2()) {
    EXPECT_GE(pair.got.rests(), 2 * later);
    EXPECT_GE(pair.freezes() - before, later);
  } else {
    EXPECT_GT(pair.freezes(), before);
  }
  EXPECT_EQ(pair.freezes(), pair.thaws());
  EXPECT_EQ(pair.slots_kept(), 0U);
}

}  // namespace
}  // namespace h2park::test
