#include "cmd/stat_graph.hpp"

#include "cmd/stat_grid.hpp"
#include "cmd/stat_numbers.hpp"
#include "cmd/stat_series.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace h2park::cmd {
namespace {

using Cells = std::vector<std::size_t>;
using Counts = std::vector<std::uint64_t>;
using Values = std::vector<std::optional<double>>;

TEST(Bar, IsDividedInProportionAndFilledToItsEnd) {
  EXPECT_EQ(divide(Counts{50, 25, 25, 0}, 80), (Cells{40, 20, 20, 0}));
  EXPECT_EQ(divide(Counts{1, 1, 1}, 80), (Cells{27, 27, 26}));
  EXPECT_EQ(divide(Counts{0, 0, 0, 7}, 10), (Cells{0, 0, 0, 10}));
  EXPECT_EQ(divide(Counts{0, 0, 0, 0}, 10), (Cells{0, 0, 0, 0}));
}

TEST(Bar, ShowsEvenOneOfMany) {
  EXPECT_EQ(divide(Counts{1, 0, 5000, 1}, 40), (Cells{1, 0, 38, 1}));
  EXPECT_EQ(divide(Counts{~std::uint64_t{0}, 1}, 40), (Cells{39, 1}));
}

TEST(Bar, FitsInAnyWidth) {
  for (std::size_t width = 0; width < 30; ++width) {
    for (const Counts& counts : {Counts{1, 1, 1, 1}, {1000, 1, 1, 1}, {3, 0, 0, 9}, {1, 2, 3, 5000}}) {
      const Cells cells = divide(counts, width);
      EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), std::size_t{0}), width);
    }
  }
}

TEST(Graph, HasAColumnForEachValueUpToThePeak) {
  const Values values{0, 1, 2, 4, 7, 8};
  EXPECT_EQ(draw_graph(values, 8, 1, unicode_symbols()), (std::vector<std::u32string>{U"▁▂▃▅██"}));
}

TEST(Graph, TellsZeroFromLittleAndFromNothing) {
  const Values values{std::nullopt, 0, 0.001, 100};
  EXPECT_EQ(draw_graph(values, 100, 1, unicode_symbols()).front(), U" ▁▂█");
  EXPECT_EQ(draw_graph(values, 100, 1, ascii_symbols()).front(), U" _.#");
}

TEST(Graph, IsFlatWhereNothingHappens) {
  EXPECT_EQ(draw_graph(Values{0, 0}, 0, 2, unicode_symbols()), (std::vector<std::u32string>{U"  ", U"▁▁"}));
}

TEST(Graph, GrowsOverSeveralRows) {
  EXPECT_EQ(draw_graph(Values{0, 8, 16}, 16, 2, unicode_symbols()),
            (std::vector<std::u32string>{U" ▁█", U"▁██"}));
}

TEST(Graph, CutsWhatIsAboveItsPeak) {
  EXPECT_EQ(draw_graph(Values{99}, 1, 1, unicode_symbols()).front(), U"█");
}

TEST(Series, KnowsItsMeanAndPeakAndLatestValue) {
  Series series;
  EXPECT_EQ(series.now(), std::nullopt);
  EXPECT_EQ(series.mean(), std::nullopt);
  for (const double value : {4.0, 10.0, 1.0}) series.add(value);
  series.add(std::nullopt);
  EXPECT_EQ(series.now(), std::nullopt);
  EXPECT_EQ(series.mean(), 5.0);
  EXPECT_EQ(series.peak(), 10.0);
  series.reset();
  EXPECT_EQ(series.mean(), std::nullopt);
}

TEST(Series, PutsTheNewestTickToTheRight) {
  Series series;
  for (const double value : {1.0, 2.0, 3.0}) series.add(value);
  EXPECT_EQ(series.columns(5, 1), (Values{std::nullopt, std::nullopt, 1, 2, 3}));
  EXPECT_EQ(series.columns(2, 1), (Values{2, 3}));
}

TEST(Series, MovesItsColumnsAsAWhole) {
  Series series;
  for (const double value : {1.0, 3.0, 5.0, 7.0}) series.add(value);
  EXPECT_EQ(series.columns(3, 2), (Values{std::nullopt, 2, 6}));
  series.add(20);
  EXPECT_EQ(series.columns(3, 2), (Values{2, 6, 20}));
  series.add(std::nullopt);
  EXPECT_EQ(series.columns(3, 2), (Values{2, 6, 20}));
}

TEST(Series, ForgetsWhatNoScreenShows) {
  Series series;
  for (std::size_t i = 0; i < Series::kKept + 3; ++i) series.add(static_cast<double>(i));
  EXPECT_EQ(series.size(), Series::kKept);
  EXPECT_EQ(series.columns(1, 1), Values{static_cast<double>(Series::kKept + 2)});
  // The columns stand where they stood: ticks 4096 to 4098 share one of 4.
  EXPECT_EQ(series.columns(1, 4), Values{4097});
}

TEST(Grid, CutsWhatLiesOutside) {
  Grid grid({.rows = 2, .columns = 4});
  EXPECT_EQ(grid.put(0, 2, U"▁▂▃", Tone::kGraph), 5U);
  grid.put(7, 0, "below", Tone::kPlain);
  grid.put(1, 9, "right", Tone::kPlain);
  grid.put_right(1, 3, "12345", Tone::kDim);
  EXPECT_EQ(grid.text(), "  ▁▂\n345\n");
  EXPECT_EQ(grid.at(1, 0).tone, Tone::kDim);
}

TEST(Grid, ShowsNoControlCharacters) {
  Grid grid({.rows = 1, .columns = 6});
  grid.put(0, 0, "a\x1b[mb\n", Tone::kPlain);
  EXPECT_EQ(grid.text(), "a?[mb?\n");
}

TEST(Numbers, AreShort) {
  using enum NumberStyle;
  EXPECT_EQ(number_text(std::nullopt, kCount), "-");
  EXPECT_EQ(number_text(5000, kCount), "5,000");
  EXPECT_EQ(number_text(1234567.4, kRate), "1,234,567");
  EXPECT_EQ(number_text(12.34, kRate), "12.3");
  EXPECT_EQ(number_text(12.04, kRate), "12");
  EXPECT_EQ(number_text(0, kRate), "0");
  EXPECT_EQ(number_text(0.02, kRate), "<0.1");
  EXPECT_EQ(number_text(219, kSize), "219 B");
  EXPECT_EQ(number_text(1536, kSize), "1.5 KiB");
  EXPECT_EQ(number_text(0.125, kPercent), "12.5 %");
  EXPECT_EQ(number_text(-1, kRate), "0");
  EXPECT_EQ(number_text(1e300, kCount), "9,000,000,000,000,000,000");
  EXPECT_EQ(time_span_text(12.7), "12s");
  EXPECT_EQ(time_span_text(192), "3m 12s");
  EXPECT_EQ(time_span_text(-5), "0s");
}

}  // namespace
}  // namespace h2park::cmd
