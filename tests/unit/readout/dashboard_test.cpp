#include "readout/dashboard.hpp"

#include "readout/stats_site.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace h2park::readout {
namespace {

namespace http = boost::beast::http;

class DashboardTest : public testing::Test {
 protected:
  StatsResponse get(std::string_view target, std::string_view field = {}, std::string_view value = {}) {
    StatsRequest request(http::verb::get, target, 11);
    request.set(http::field::host, "localhost:8081");
    if (!field.empty()) request.insert(field, value);
    return site_.answer(request);
  }

  LiveTime time_;
  StatsSite site_{AllowedHosts({.host = "127.0.0.1", .port = 8081}), [] { return stats::Snapshot{}; },
                  [] { return true; }};
};

TEST_F(DashboardTest, IsServedWithItsTypes) {
  for (const auto& [path, type] : {std::pair{"/", "text/html; charset=utf-8"},
                                   {"/dashboard/style.css", "text/css; charset=utf-8"},
                                   {"/dashboard/main.js", "text/javascript; charset=utf-8"},
                                   {"/dashboard/icon.svg", "image/svg+xml"}}) {
    const StatsResponse response = get(path);
    EXPECT_EQ(response.result(), http::status::ok) << path;
    EXPECT_EQ(response[http::field::content_type], type);
    EXPECT_EQ(response["X-Content-Type-Options"], "nosniff");
    EXPECT_EQ(response[http::field::cache_control], "no-store");
    EXPECT_EQ(response["Content-Security-Policy"], kDashboardPolicy);
    EXPECT_FALSE(response.body().empty());
  }
}

// A file with a name that has no type would be shown as a download, or not at all.
TEST_F(DashboardTest, HasATypeForEachFile) {
  EXPECT_GE(dashboard_files().size(), 5U);
  for (const DashboardFile& file : dashboard_files()) {
    EXPECT_NE(dashboard_type(file), "application/octet-stream") << file.path;
  }
}

TEST_F(DashboardTest, AllowsNothingButItsOwnFiles) {
  EXPECT_TRUE(kDashboardPolicy.starts_with("default-src 'none';"));
  for (const char* loose : {"unsafe", "data:", "http", "*"}) {
    EXPECT_EQ(kDashboardPolicy.find(loose), std::string_view::npos) << loose;
  }
}

TEST_F(DashboardTest, HasNothingInlineAndNothingFromElsewhere) {
  const std::string page = get("/").body();
  const std::regex inline_code(R"(<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:)");
  EXPECT_FALSE(std::regex_search(page, inline_code));
  const std::regex elsewhere(R"re(https?://[^"' )]+)re");
  for (const DashboardFile& file : dashboard_files()) {
    const std::string text(file.content);
    for (std::sregex_iterator at(text.begin(), text.end(), elsewhere), end; at != end; ++at) {
      EXPECT_EQ(at->str(), "http://www.w3.org/2000/svg") << file.path;
    }
  }
}

TEST_F(DashboardTest, HasAllThatItRefersTo) {
  for (const DashboardFile& file : dashboard_files()) {
    const std::string text(file.content);
    const std::regex reference(R"re((?:src|href)="(/[^"]*)"|from "\.(/[^"]*)")re");
    for (std::sregex_iterator at(text.begin(), text.end(), reference), end; at != end; ++at) {
      const std::string path = (*at)[1].matched ? (*at)[1].str() : "/dashboard" + (*at)[2].str();
      EXPECT_EQ(get(path).result(), http::status::ok) << file.path << " refers to " << path;
    }
  }
}

TEST_F(DashboardTest, StreamsOnlyToPagesFromHere) {
  site_.watch(std::make_unique<LiveFeed>(LiveFeed::Sources{.snapshot = [] { return stats::Snapshot{}; },
                                                           .depths = [] { return stats::Depths{}; }},
                                         1, time_));
  const StatsResponse response = get("/live", "Sec-Fetch-Site", "same-origin");
  EXPECT_EQ(response.result(), http::status::ok);
  EXPECT_EQ(response[http::field::content_type], "text/event-stream");
  EXPECT_EQ(response.count(http::field::content_length), 0U);
  EXPECT_EQ(get("/live", "Sec-Fetch-Site", "cross-site").result(), http::status::forbidden);
  EXPECT_EQ(get("/live?interval=1ms").result(), http::status::bad_request);
}

TEST_F(DashboardTest, FollowsNothingButAGetOfTheStream) {
  site_.watch(std::make_unique<LiveFeed>(LiveFeed::Sources{.snapshot = [] { return stats::Snapshot{}; },
                                                           .depths = [] { return stats::Depths{}; }},
                                         1, time_));
  StatsRequest request(http::verb::get, "/live?interval=5s", 11);
  request.set(http::field::host, "localhost");
  const auto following = site_.follow(request, site_.answer(request));
  ASSERT_TRUE(following);
  EXPECT_EQ(following->every, std::chrono::seconds(5));
  const StatsResponse full = site_.answer(request);
  EXPECT_EQ(full.result(), http::status::service_unavailable);
  EXPECT_EQ(full[http::field::retry_after], "10");
  EXPECT_FALSE(site_.follow(request, full));
  request.method(http::verb::head);
  EXPECT_FALSE(site_.follow(request, site_.answer(request)));
  request.method(http::verb::get);
  request.target("/stats.json");
  EXPECT_FALSE(site_.follow(request, site_.answer(request)));
}

}  // namespace
}  // namespace h2park::readout
