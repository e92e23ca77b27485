#include "readout/live_feed.hpp"

#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;
using stats::Depth;

class LiveFeedTest : public testing::Test {
 protected:
  stats::Snapshot snapshot() {
    ++snapshots;
    if (broken) throw std::runtime_error("no figures");
    stats::Snapshot out;
    out.server.pid = snapshots;
    return out;
  }
  stats::Depths depths() {
    ++looks;
    stats::Depths out(2);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (silent == i) continue;
      out[i] = stats::ThreadDepths{.taken = coarse(time.now()), .places = {place}, .left_out = i};
    }
    return out;
  }

  ManualTime time;
  int snapshots = 0;
  int looks = 0;
  bool broken = false;
  std::optional<std::size_t> silent;
  stats::Place place{.depth = Depth::kActive};
  LiveFeed feed{{.snapshot = [this] { return snapshot(); }, .depths = [this] { return depths(); }}, 3, time};
};

bool has(const std::optional<std::string>& event, std::string_view part) {
  return event && event->find(part) != std::string::npos;
}

TEST_F(LiveFeedTest, TellsFiguresAndDepths) {
  const auto stream = feed.open();
  const auto event = stream->next_event();
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->starts_with("data: {\"stats\":{\"version\":null,\"pid\":1,")) << *event;
  EXPECT_TRUE(event->ends_with("\"left_out\":1,\"depths\":[\"a\",\"a\"]}\n\n")) << *event;
}

TEST_F(LiveFeedTest, AsksTheServerOnceForAllWhoWatchAtATime) {
  const auto first = feed.open();
  const auto second = feed.open();
  EXPECT_TRUE(has(first->next_event(), "\"pid\":1,"));
  time.advance(199ms);
  EXPECT_TRUE(has(second->next_event(), "\"pid\":1,"));
  EXPECT_EQ(looks, 1);
  time.advance(1ms);
  EXPECT_TRUE(has(first->next_event(), "\"pid\":2,"));
  EXPECT_EQ(snapshots, 2);
  EXPECT_EQ(looks, 2);
}

TEST_F(LiveFeedTest, AsksNothingWhileNobodyWatches) {
  EXPECT_EQ(snapshots + looks, 0);
  feed.open()->next_event();
  time.advance(1h);
  EXPECT_EQ(snapshots, 1);
  EXPECT_TRUE(has(feed.open()->next_event(), "\"pid\":2,")) << "what is old is not told";
}

TEST_F(LiveFeedTest, HoldsSoManyStreamsAtATime) {
  auto first = feed.open();
  const auto second = feed.open();
  EXPECT_FALSE(feed.is_full());
  const auto third = feed.open();
  EXPECT_TRUE(feed.is_full());
  first.reset();
  EXPECT_FALSE(feed.is_full());
}

TEST_F(LiveFeedTest, MarksForEachWatcherWhatItHasNotSeen) {
  place = {.depth = Depth::kParked, .rested = 1500ms};
  const auto often = feed.open();
  const auto seldom = feed.open();
  for (const auto& stream : {&often, &seldom}) EXPECT_TRUE(has((*stream)->next_event(), "[\"p\",\"p\"]"));
  time.advance(1s);
  EXPECT_TRUE(has(often->next_event(), "[\"p\",\"p\"]")) << "it has rested since before the first event";
  time.advance(1s);
  EXPECT_TRUE(has(often->next_event(), "[\"p\",\"p\"]")) << "since before its last event";
  EXPECT_TRUE(has(seldom->next_event(), "[\"P\",\"P\"]")) << "its last event is two seconds old";
}

TEST_F(LiveFeedTest, ShowsAThreadThatHasNoTimeAsItWas) {
  const auto stream = feed.open();
  stream->next_event();
  place = {.depth = Depth::kFrozen, .rested = 100ms};
  silent = 0;
  time.advance(1s);
  EXPECT_TRUE(has(stream->next_event(), "\"left_out\":1,\"depths\":[\"a\",\"F\"]"));
  silent.reset();
  time.advance(1s);
  EXPECT_TRUE(has(stream->next_event(), "\"depths\":[\"F\",\"F\"]"));
}

TEST_F(LiveFeedTest, EndsWhereTheFiguresCannotBeTaken) {
  const auto stream = feed.open();
  broken = true;
  EXPECT_EQ(stream->next_event(), std::nullopt);
}

}  // namespace
}  // namespace h2park::readout
