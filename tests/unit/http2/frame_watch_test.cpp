#include "http2/frame_watch.hpp"

#include "support/h2_wire.hpp"

#include <gtest/gtest.h>

namespace h2park::http2 {
namespace {

using test::frame;

struct Seen {
  std::uint16_t type;
  std::uint32_t length;
  std::int32_t stream;
  std::uint32_t word;
  bool operator==(const Seen&) const = default;
};

/// Feeds `pieces` one after the other.
std::vector<Seen> watch(FrameWatch& watch, const std::vector<std::string>& pieces) {
  std::vector<Seen> seen;
  for (const std::string& piece : pieces) {
    std::span<const std::byte> rest = std::as_bytes(std::span(piece));
    for (;;) {
      const FrameWatch::Step step = watch.step(rest);
      rest = rest.subspan(step.bytes);
      if (step.event == FrameWatch::Event::kNone) break;
      if (step.event == FrameWatch::Event::kEnd) {
        seen.push_back({watch.head().type, watch.head().length, watch.head().stream, watch.payload_word()});
      }
    }
    EXPECT_TRUE(rest.empty());
  }
  return seen;
}

const std::string kStream = test::preface() + test::settings_frame({{4, 70'000}}) + test::ping("12345678") +
                            frame(0, 1, 3, "") + frame(9, 4, 0x7fff'ffff, std::string(300, 'x')) +
                            test::window_update(5, 0x01020304);
const std::vector<Seen> kFrames = {{4, 6, 0, 0x00040001},
                                   {6, 8, 0, 0x31323334},
                                   {0, 0, 3, 0},
                                   {9, 300, 0x7fff'ffff, 0x78787878},
                                   {8, 4, 5, 0x01020304}};

TEST(FrameWatch, FindsEveryFrame) {
  FrameWatch w;
  EXPECT_EQ(watch(w, {kStream}), kFrames);
  EXPECT_TRUE(w.between_frames());
}

TEST(FrameWatch, FindsThemWhereverTheInputIsCut) {
  for (std::size_t cut = 0; cut <= kStream.size(); ++cut) {
    FrameWatch w;
    EXPECT_EQ(watch(w, {kStream.substr(0, cut), kStream.substr(cut)}), kFrames) << "cut at " << cut;
  }
}

TEST(FrameWatch, FindsThemByteByByte) {
  FrameWatch w;
  std::vector<std::string> bytes;
  for (const char c : kStream) bytes.emplace_back(1, c);
  EXPECT_EQ(watch(w, bytes), kFrames);
}

TEST(FrameWatch, IgnoresTheReservedBit) {
  FrameWatch w;
  std::string bytes = test::preface() + frame(0, 0, 0x8000'0007, "x");
  EXPECT_EQ(watch(w, {bytes}).at(0).stream, 7);
}

TEST(FrameWatch, KnowsWhetherAFrameHasBegun) {
  FrameWatch w;
  watch(w, {test::preface().substr(0, 10)});
  EXPECT_TRUE(w.in_preface());
  watch(w, {test::preface().substr(10)});
  EXPECT_TRUE(w.between_frames());
  watch(w, {std::string(1, '\0')});
  EXPECT_FALSE(w.between_frames());
  EXPECT_FALSE(w.in_payload());
  watch(w, {frame(0, 0, 1, "abc").substr(1, 9)});
  EXPECT_TRUE(w.in_payload());
  watch(w, {"bc"});
  EXPECT_TRUE(w.between_frames());
}

}  // namespace
}  // namespace h2park::http2
