#include "readout/live_text.hpp"

#include <gtest/gtest.h>

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;
using stats::Depth;
using stats::Place;
using stats::ThreadDepths;

constexpr CoarseTime kNoon{12h};

constexpr Place kFree{};
constexpr Place kActive{.depth = Depth::kActive};
Place parked(std::uint32_t ms) {
  return {.depth = Depth::kParked, .rested = std::chrono::duration<std::uint32_t, std::milli>(ms)};
}
Place frozen(std::uint32_t ms) {
  return {.depth = Depth::kFrozen, .rested = std::chrono::duration<std::uint32_t, std::milli>(ms)};
}

std::string text(std::vector<Place> places, std::optional<CoarseTime> before = std::nullopt) {
  return places_text({.taken = kNoon, .places = std::move(places)}, before);
}

TEST(PlacesText, HasALetterForEachDepth) { EXPECT_EQ(text({kActive, parked(1), frozen(1)}), "apf"); }

TEST(PlacesText, CountsWhatIsAlike) {
  EXPECT_EQ(text({kActive, kActive, frozen(1), frozen(2), frozen(3), parked(1)}), "2a3fp");
  EXPECT_EQ(text(std::vector<Place>(9000, frozen(1))), "9000f");
}

TEST(PlacesText, ShowsFreePlacesBetweenButNotAtTheEnd) {
  EXPECT_EQ(text({kFree, kFree, kActive, kFree, frozen(1), kFree}), "2.a.f");
  EXPECT_EQ(text({kFree, kFree}), "");
  EXPECT_EQ(text({}), "");
}

TEST(PlacesText, MarksARestThatBeganSinceTheEventBefore) {
  const CoarseTime before = kNoon - 1s;
  EXPECT_EQ(text({parked(999), parked(1000), frozen(999), frozen(1000), kActive}, before), "PpFfa");
}

TEST(PlacesText, MarksNothingForWhoSeesItFirst) { EXPECT_EQ(text({parked(0), frozen(0)}), "pf"); }

TEST(PlacesText, MarksNothingOfAThreadThatDidNotAnswerAgain) {
  EXPECT_EQ(text({parked(0), frozen(0)}, kNoon), "pf");
}

TEST(LiveEvent, IsOneLineOfJson) {
  EXPECT_EQ(live_event("{\"a\":1}\n", {"2a", "f"}, 3),
            "data: {\"stats\":{\"a\":1},\"left_out\":3,\"depths\":[\"2a\",\"f\"]}\n\n");
  EXPECT_EQ(live_event("{}", {}, 0), "data: {\"stats\":{},\"left_out\":0,\"depths\":[]}\n\n");
}

}  // namespace
}  // namespace h2park::readout
