#include "readout/stats_site.hpp"

#include "stats/json.hpp"

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

TEST_F(StatsSiteTest, KeepsEveryAnswerOutOfCachesAndOtherOrigins) {
  for (const char* target : {"/stats.json", "/healthz", "/nothing"}) {
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
  for (const char* target : {"/stats.json", "/healthz", "/nothing"}) {
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
  for (const char* target : {"/stats", "/live/", "/dashboard", "/dashboard/", "/dashboard/../index.html",
                             "/index.html", "/stats.json/", "//stats.json", "/STATS.JSON", "*", "/metrics"}) {
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
