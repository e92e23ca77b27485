#include "http/request.hpp"
#include "support/exchange_driver.hpp"

#include <gtest/gtest.h>

namespace h2park::http {
namespace {

// An exchange whose only use is its request.
class NoPort final : public ExchangePort {
 public:
  void send_informational(Exchange&, unsigned, const Fields&) override {}
  void response_ready(Exchange&) override {}
  void body_ready(Exchange&) override {}
  void body_wanted(Exchange&) override {}
  void body_consumed(Exchange&, std::size_t) override {}
  void reset(Exchange&, ResetReason) override {}
  void handler_returned(Exchange&) override {}
};

class QueryTest : public testing::Test {
 protected:
  std::optional<std::string> query(std::string_view target, std::string_view name) {
    exchange_.request().target = target;
    return request_.query(name);
  }

  NoPort port_;
  test::ExchangeDriver driver_{{}};
  Exchange exchange_{std::pmr::get_default_resource(), port_, driver_, driver_.budget};
  Request request_{exchange_};
};

TEST_F(QueryTest, SplitsPathAndQueryAtTheFirstQuestionMark) {
  exchange_.request().target = "/a/b?c=d?e";
  EXPECT_EQ(request_.path(), "/a/b");
  EXPECT_EQ(request_.head().query(), "c=d?e");
  exchange_.request().target = "/a/b";
  EXPECT_EQ(request_.path(), "/a/b");
  EXPECT_EQ(request_.head().query(), "");
}

TEST_F(QueryTest, FindsANameAmongOthers) {
  EXPECT_EQ(query("/?ms=5&bytes=10", "bytes"), "10");
  EXPECT_EQ(query("/?ms=5&bytes=10", "ms"), "5");
  EXPECT_EQ(query("/?ms=5&bytes=10", "m"), std::nullopt);
  EXPECT_EQ(query("/", "ms"), std::nullopt);
  EXPECT_EQ(query("/?", "ms"), std::nullopt);
}

TEST_F(QueryTest, GivesTheFirstOfEqualNames) { EXPECT_EQ(query("/?a=1&a=2", "a"), "1"); }

TEST_F(QueryTest, KnowsEmptyAndMissingValues) {
  EXPECT_EQ(query("/?a=&b", "a"), "");
  EXPECT_EQ(query("/?a=&b", "b"), "");
  EXPECT_EQ(query("/?&&a=1&", "a"), "1");
  EXPECT_EQ(query("/?a==b=c", "a"), "=b=c");
}

TEST_F(QueryTest, DecodesNamesAndValues) {
  EXPECT_EQ(query("/?a%20b=c+d%26e%3D", "a b"), "c d&e=");
  EXPECT_EQ(query("/?a=%C3%A4%2B", "a"), "\xc3\xa4+");
  EXPECT_EQ(query("/?a=%2", "a"), "%2");
  EXPECT_EQ(query("/?a=%zz", "a"), "%zz");
  EXPECT_EQ(query("/?a=%", "a"), "%");
}

TEST_F(QueryTest, FindsPathParametersByName) {
  request_.parameters.push_back({"n", "12"});
  request_.parameters.push_back({"code", "404"});
  EXPECT_EQ(request_.parameter("code"), "404");
  EXPECT_EQ(request_.parameter("n"), "12");
  EXPECT_EQ(request_.parameter("x"), "");
}

}  // namespace
}  // namespace h2park::http
