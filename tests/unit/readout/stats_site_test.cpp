#include "readout/stats_site.hpp"

#include "stats/json.hpp"
#include "stats/prometheus.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace h2park::readout {
namespace {

namespace http = boost::beast::http;
using http::status;
using http::verb;

stats::Snapshot snapshot() {
  stats::Snapshot out;
  out.server.version = "1.2.3";
  return out;
}

class StatsSiteTest : public testing::Test {
 protected:
  static StatsRequest request(verb method, std::string_view target,
                              std::string_view host = "localhost:8081") {
    StatsRequest out(method, target, 11);
    out.set(http::field::host, host);
    return out;
  }
  StatsResponse get(std::string_view target) { return site_.answer(request(verb::get, target)); }

  bool healthy_ = true;
  StatsSite site_{AllowedHosts({.host = "127.0.0.1", .port = 8081}), snapshot, [this] { return healthy_; }};
};

TEST_F(StatsSiteTest, GivesTheSnapshotAsJson) {
  const StatsResponse response = get("/stats.json");
  EXPECT_EQ(response.result(), status::ok);
  EXPECT_EQ(response.body(), stats::to_json(snapshot()));
  EXPECT_EQ(response[http::field::content_type], "application/json");
  EXPECT_EQ(response[http::field::content_length], std::to_string(response.body().size()));
}

TEST_F(StatsSiteTest, GivesTheSnapshotAsPrometheusText) {
  const StatsResponse response = get("/metrics");
  EXPECT_EQ(response.result(), status::ok);
  EXPECT_EQ(response.body(), stats::to_prometheus(snapshot()));
  EXPECT_EQ(response[http::field::content_type], "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(StatsSiteTest, KeepsEveryAnswerOutOfCachesAndOtherOrigins) {
  for (const char* target : {"/stats.json", "/metrics", "/healthz", "/nothing"}) {
    StatsRequest with_origin = request(verb::get, target);
    with_origin.set(http::field::origin, "http://evil.example");
    const StatsResponse response = site_.answer(with_origin);
    EXPECT_EQ(response[http::field::cache_control], "no-store");
    EXPECT_EQ(response["X-Content-Type-Options"], "nosniff");
    EXPECT_EQ(response.count(http::field::access_control_allow_origin), 0U);
    EXPECT_EQ(response.count(http::field::date), 1U);
  }
}

TEST_F(StatsSiteTest, AnswersHeadWithTheFieldsOfGetAndNoContent) {
  for (const char* target : {"/stats.json", "/metrics", "/healthz", "/nothing"}) {
    const StatsResponse head = site_.answer(request(verb::head, target));
    const StatsResponse full = get(target);
    EXPECT_EQ(head.result(), full.result());
    EXPECT_EQ(head[http::field::content_length], full[http::field::content_length]);
    EXPECT_EQ(head.body(), "");
  }
}

TEST_F(StatsSiteTest, TellsHealthUntilTheServerShutsDown) {
  EXPECT_EQ(get("/healthz").result(), status::ok);
  EXPECT_EQ(get("/healthz").body(), "ok\n");
  healthy_ = false;
  EXPECT_EQ(get("/healthz").result(), status::service_unavailable);
  EXPECT_EQ(get("/healthz").body(), "shutting down\n");
  EXPECT_EQ(get("/stats.json").result(), status::ok);
}

TEST_F(StatsSiteTest, IgnoresAQuery) {
  EXPECT_EQ(get("/stats.json?").result(), status::ok);
  EXPECT_EQ(get("/healthz?a=/b").body(), "ok\n");
}

TEST_F(StatsSiteTest, KnowsNothingElse) {
  for (const char* target :
       {"/stats", "/live/", "/dashboard", "/dashboard/", "/dashboard/../index.html", "/index.html",
        "/stats.json/", "//stats.json", "/STATS.JSON", "*", "/metrics/"}) {
    EXPECT_EQ(get(target).result(), status::not_found) << target;
  }
}

TEST_F(StatsSiteTest, AllowsGetAndHeadOnly) {
  for (const verb method :
       {verb::post, verb::put, verb::delete_, verb::options, verb::trace, verb::connect}) {
    const StatsResponse response = site_.answer(request(method, "/stats.json"));
    EXPECT_EQ(response.result(), status::method_not_allowed);
    EXPECT_EQ(response[http::field::allow], "GET, HEAD");
  }
  StatsRequest unknown = request(verb::get, "/healthz");
  unknown.method_string("GETS");
  EXPECT_EQ(site_.answer(unknown).result(), status::method_not_allowed);
}

TEST_F(StatsSiteTest, RefusesForeignHosts) {
  for (const char* target : {"/stats.json", "/healthz", "/nothing"}) {
    const StatsResponse response = site_.answer(request(verb::get, target, "evil.example:8081"));
    EXPECT_EQ(response.result(), status::forbidden);
    EXPECT_EQ(response.body().find('\n'), response.body().size() - 1);
  }
}

TEST_F(StatsSiteTest, AcceptsTheAbsoluteFormOfAnAllowedHost) {
  EXPECT_EQ(get("http://localhost:8081/healthz").body(), "ok\n");
  EXPECT_EQ(get("http://127.0.0.1/stats.json?x").result(), status::ok);
  EXPECT_EQ(get("http://evil.example/healthz").result(), status::forbidden);
  EXPECT_EQ(get("http://localhost:8081").body(), get("/").body());
  EXPECT_EQ(site_.answer(request(verb::get, "http://localhost:8081/healthz", "evil.example")).result(),
            status::forbidden);
}

TEST_F(StatsSiteTest, WantsOneHost) {
  StatsRequest none(verb::get, "/healthz", 11);
  EXPECT_EQ(site_.answer(none).result(), status::bad_request);
  none.version(10);
  EXPECT_EQ(site_.answer(none).result(), status::ok);
  StatsRequest two = request(verb::get, "/healthz");
  two.insert(http::field::host, "localhost:8081");
  EXPECT_EQ(site_.answer(two).result(), status::bad_request);
}

class GuardedSiteTest : public testing::Test {
 protected:
  static StatsRequest request(std::string_view target) {
    StatsRequest out(verb::get, target, 11);
    out.set(http::field::host, "stats.example:8081");
    return out;
  }

  const StatsSite site_{AllowedHosts::all(), snapshot, [] { return true; }, TokenGuard("s3cret")};
};

TEST_F(GuardedSiteTest, AnswersWhoShowsTheTokenWhateverTheHost) {
  for (const char* target : {"/stats.json", "/metrics"}) {
    StatsRequest asked = request(target);
    asked.set(http::field::authorization, "Bearer s3cret");
    EXPECT_EQ(site_.answer(asked).result(), status::ok) << target;
    asked.set(http::field::authorization, "Basic bWU6czNjcmV0");  // me:s3cret
    EXPECT_EQ(site_.answer(asked).result(), status::ok) << target;
  }
}

TEST_F(GuardedSiteTest, RefusesWhoDoesNotWhateverThereIs) {
  for (const char* target : {"/stats.json", "/metrics", "/nothing", "/"}) {
    StatsRequest asked = request(target);
    const StatsResponse nothing_shown = site_.answer(asked);
    EXPECT_EQ(nothing_shown.result(), status::unauthorized) << target;
    EXPECT_EQ(nothing_shown[http::field::www_authenticate], R"(Bearer realm="h2park")");
    EXPECT_EQ(nothing_shown.count(http::field::www_authenticate), 1U);
    asked.set(http::field::authorization, "Bearer wrong");
    EXPECT_EQ(site_.answer(asked).result(), status::unauthorized) << target;
    asked.set(http::field::authorization, "Bearer s3cret");
    asked.insert(http::field::authorization, "Bearer s3cret");
    EXPECT_EQ(site_.answer(asked).result(), status::unauthorized) << target;
    EXPECT_EQ(site_.answer(request(std::string(target) + "?token=s3cret")).result(), status::unauthorized);
  }
}

TEST_F(GuardedSiteTest, AsksABrowserForAPassword) {
  StatsRequest asked = request("/");
  asked.set(http::field::accept, "text/html,application/xhtml+xml,*/*;q=0.8");
  const StatsResponse response = site_.answer(asked);
  EXPECT_EQ(response.result(), status::unauthorized);
  const auto [first, last] = response.equal_range(http::field::www_authenticate);
  ASSERT_EQ(std::distance(first, last), 2);
  EXPECT_TRUE(std::next(first)->value().starts_with("Basic "));
}

TEST_F(GuardedSiteTest, TellsEverybodyItsHealth) {
  EXPECT_EQ(site_.answer(request("/healthz")).body(), "ok\n");
}

TEST(StatsSite, AnswersWhatThrowsWith500) {
  const StatsSite site(
      AllowedHosts({.host = "127.0.0.1", .port = 8081}),
      []() -> stats::Snapshot { throw std::runtime_error("secret"); }, [] { return true; });
  StatsRequest request(verb::get, "/stats.json", 11);
  request.set(http::field::host, "localhost");
  const StatsResponse response = site.answer(request);
  EXPECT_EQ(response.result(), status::internal_server_error);
  EXPECT_EQ(response.body().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace h2park::readout
