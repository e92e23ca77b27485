#include "server/preface.hpp"

#include <gtest/gtest.h>

#include <string>

namespace h2park::server {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Preface, IsRecognisedHoweverItIsSplit) {
  for (std::size_t first = 1; first < kClientPreface.size(); ++first) {
    Preface preface;
    ASSERT_EQ(preface.look(bytes(kClientPreface.substr(0, first))), Preface::Verdict::kMore);
    ASSERT_EQ(preface.seen().size(), first);
    ASSERT_EQ(preface.look(bytes(kClientPreface.substr(first))), Preface::Verdict::kHttp2);
    ASSERT_EQ(preface.seen().size(), first);
  }
}

TEST(Preface, ByteByByteNeedsAll24) {
  Preface preface;
  for (std::size_t i = 0; i + 1 < kClientPreface.size(); ++i) {
    ASSERT_EQ(preface.look(bytes(kClientPreface.substr(i, 1))), Preface::Verdict::kMore);
  }
  EXPECT_EQ(preface.look(bytes("\n")), Preface::Verdict::kHttp2);
}

TEST(Preface, AnythingElseIsHttp1EvenIfItBeginsAlike) {
  for (std::size_t same = 0; same < kClientPreface.size(); ++same) {
    std::string text(kClientPreface.substr(0, same));
    text += '?';
    Preface at_once;
    EXPECT_EQ(at_once.look(bytes(text)), Preface::Verdict::kHttp1) << text;
    EXPECT_TRUE(at_once.seen().empty());
    if (same == 0) continue;
    Preface split;
    ASSERT_EQ(split.look(bytes(kClientPreface.substr(0, same))), Preface::Verdict::kMore);
    ASSERT_EQ(split.look(bytes("?")), Preface::Verdict::kHttp1);
    EXPECT_EQ(split.seen().size(), same) << "what came before must reach the HTTP/1 parser";
  }
}

TEST(Preface, MoreBytesMayFollowInTheSameRead) {
  Preface preface;
  EXPECT_EQ(preface.look(bytes(std::string(kClientPreface) + "\0\0\0")), Preface::Verdict::kHttp2);
}

}  // namespace
}  // namespace h2park::server
