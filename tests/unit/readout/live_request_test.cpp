#include "readout/live_request.hpp"

#include <gtest/gtest.h>

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;
namespace http = boost::beast::http;

TEST(LiveInterval, IsASecondUnlessAskedOtherwise) {
  EXPECT_EQ(*live_interval("/live"), 1s);
  EXPECT_EQ(*live_interval("/live?"), 1s);
  EXPECT_EQ(*live_interval("/live?x=1&intervals=3s"), 1s);
  EXPECT_EQ(*live_interval("/live?interval=250ms"), 250ms);
  EXPECT_EQ(*live_interval("http://localhost:8081/live?x&interval=1m&y"), 1min);
}

TEST(LiveInterval, HasBounds) {
  for (const char* target : {"/live?interval=249ms", "/live?interval=60001ms", "/live?interval=0"}) {
    const auto every = live_interval(target);
    ASSERT_FALSE(every) << target;
    EXPECT_EQ(every.error().message, "interval: from 250ms to 1m");
  }
  EXPECT_FALSE(live_interval("/live?interval=soon"));
  EXPECT_FALSE(live_interval("/live?interval="));
}

TEST(CrossSite, IsWhatABrowserSaysOfAnotherSitesPage) {
  for (const auto& [says, cross] :
       {std::pair{"cross-site", true}, {"same-site", true}, {"same-origin", false}, {"none", false}}) {
    http::fields fields;
    fields.set("Sec-Fetch-Site", says);
    EXPECT_EQ(is_cross_site(fields), cross) << says;
  }
  EXPECT_FALSE(is_cross_site({})) << "not a browser";
}

}  // namespace
}  // namespace h2park::readout
