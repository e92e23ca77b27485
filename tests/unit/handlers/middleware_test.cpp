#include "handlers/middleware.hpp"

#include "handlers/recovery.hpp"
#include "handlers/request_id.hpp"
#include "support/handler_rig.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace h2park::handlers {
namespace {

using test::Answer;
using test::HandlerRig;
using namespace std::chrono_literals;

Task<> say_ok(http::Request&, http::Responder& response) { co_await response.send("text/plain", "ok"); }

TEST(Middleware, RunsFromTheOutermostInAndBack) {
  std::string order;
  const auto layer = [&order](char name) -> http::Middleware {
    return [&order, name](http::Request& request, http::Responder& response,
                          const http::Handler& next) -> Task<> {
      order += name;
      co_await next(request, response);
      order += static_cast<char>(name + 1);
    };
  };
  const std::vector<http::Middleware> chain = {layer('A'), layer('C')};
  HandlerRig rig(compose(chain, say_ok));
  EXPECT_EQ(rig.ask("GET", "/").body, "ok");
  EXPECT_EQ(order, "ACDB");
}

TEST(Middleware, WithoutLayersIsTheHandler) {
  HandlerRig rig(compose({}, say_ok));
  EXPECT_EQ(rig.ask("GET", "/").body, "ok");
}

// ---- request ids

http::Handler with_ids(bool always, http::Handler handler = say_ok) {
  const std::vector<http::Middleware> chain = {request_id_middleware(always)};
  return compose(chain, std::move(handler));
}

TEST(RequestId, OfTheClientIsTakenOverAndSentBack) {
  HandlerRig rig(with_ids(false));
  EXPECT_EQ(rig.ask("GET", "/", {{"x-request-id", "abc-123"}}).field("x-request-id"), "abc-123");
  EXPECT_EQ(rig.exchange()->request_id, "abc-123");
}

TEST(RequestId, ThatIsNotSaneIsReplaced) {
  HandlerRig rig(with_ids(true));
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\"b"),
                                 std::string("a\x1b[31m"), std::string("\xff"), std::string(129, 'a')}) {
    const std::string id(rig.ask("GET", "/", {{"x-request-id", bad}}).field("x-request-id"));
    EXPECT_TRUE(is_sane_request_id(id)) << id;
    EXPECT_NE(id, bad);
  }
  EXPECT_TRUE(is_sane_request_id(std::string(128, 'a')));
}

TEST(RequestId, IsMadeOnlyWhenSomebodyNeedsIt) {
  HandlerRig lazy(with_ids(false));
  EXPECT_EQ(lazy.ask("GET", "/").field("x-request-id"), "");
  EXPECT_TRUE(lazy.exchange()->request_id.empty());
  HandlerRig eager(with_ids(true));
  EXPECT_FALSE(eager.ask("GET", "/").field("x-request-id").empty());
}

TEST(RequestId, DiffersBetweenRequestsAndBetweenThreads) {
  HandlerRig rig(with_ids(true));
  const std::string first(rig.ask("GET", "/").field("x-request-id"));
  const std::string second(rig.ask("GET", "/").field("x-request-id"));
  std::string elsewhere;
  std::thread([&] {
    HandlerRig other(with_ids(true));
    elsewhere = other.ask("GET", "/").field("x-request-id");
  }).join();
  EXPECT_NE(first, second);
  EXPECT_EQ(first.substr(0, 17), second.substr(0, 17));
  EXPECT_NE(first.substr(0, 17), elsewhere.substr(0, 17));
}

// ---- recovery

class RecoveryTest : public testing::Test {
 protected:
  http::Handler guard(http::Handler handler) {
    const std::vector<http::Middleware> chain = {
        recovery_middleware([this](std::string_view line) { reports_.emplace_back(line); })};
    return compose(chain, std::move(handler));
  }
  std::vector<std::string> reports_;
};

TEST_F(RecoveryTest, LeavesAGoodAnswerAlone) {
  HandlerRig rig(guard(say_ok));
  EXPECT_EQ(rig.ask("GET", "/").status, 200U);
  EXPECT_TRUE(reports_.empty());
}

TEST_F(RecoveryTest, Answers500WhenNothingWasSent) {
  HandlerRig rig(guard([](http::Request& request, http::Responder& response) -> Task<> {
    request.exchange().route = "/broken/{n}";
    response.status(201);
    response.content_length(99);
    response.fields().add("x-half", "done");
    response.trailers().add("x-more", "half");
    throw std::runtime_error("disk\non fire");
    co_return;
  }));
  const Answer& answer = rig.ask("GET", "/broken/1", {{"x-request-id", "ignored"}});
  EXPECT_EQ(answer.status, 500U);
  EXPECT_EQ(answer.body, "internal server error\n");
  EXPECT_EQ(answer.content_length, answer.body.size());
  EXPECT_EQ(answer.field("x-half"), "");
  EXPECT_TRUE(answer.trailers.empty());
  EXPECT_TRUE(answer.ended);
  EXPECT_FALSE(answer.reset.has_value());
  EXPECT_EQ(rig.driver.failed, 0U);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_NE(reports_[0].find("/broken/{n}"), std::string::npos) << reports_[0];
  EXPECT_NE(reports_[0].find("disk\\x0aon fire"), std::string::npos) << reports_[0];
  EXPECT_NE(reports_[0].find(answer.field("x-request-id")), std::string::npos) << reports_[0];
}

TEST_F(RecoveryTest, ResetsTheStreamWhenTheAnswerHadBegun) {
  HandlerRig rig(guard([](http::Request&, http::Responder& response) -> Task<> {
    co_await response.write("half");
    throw std::runtime_error("no more");
  }));
  const Answer& answer = rig.ask("GET", "/");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_FALSE(answer.ended);
  EXPECT_EQ(answer.reset, http::ResetReason::kInternalError);
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(RecoveryTest, CatchesWhatComesAfterASuspension) {
  HandlerRig rig(guard([](http::Request&, http::Responder& response) -> Task<> {
    co_await response.sleep(1s);
    throw 42;
  }));
  rig.start("GET", "/");
  EXPECT_FALSE(rig.answer().head);
  rig.advance(1s);
  EXPECT_EQ(rig.answer().status, 500U);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_NE(reports_[0].find("not a std::exception"), std::string::npos);
}

TEST_F(RecoveryTest, CatchesAHandlerThatIsNoCoroutine) {
  HandlerRig rig(
      guard([](http::Request&, http::Responder&) -> Task<> { throw std::logic_error("at once"); }));
  EXPECT_EQ(rig.ask("GET", "/").status, 500U);
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(RecoveryTest, OnlyReportsWhenTheAnswerWasCompleteOrNobodyIsThere) {
  HandlerRig complete(guard([](http::Request&, http::Responder& response) -> Task<> {
    co_await response.send("text/plain", "all");
    throw std::runtime_error("late");
  }));
  const Answer& answer = complete.ask("GET", "/");
  EXPECT_TRUE(answer.ended);
  EXPECT_EQ(answer.body, "all");
  EXPECT_FALSE(answer.reset.has_value());

  HandlerRig gone(guard([](http::Request&, http::Responder& response) -> Task<> {
    co_await response.until_gone();
    throw std::runtime_error("later");
  }));
  gone.start("GET", "/");
  gone.vanish();
  EXPECT_EQ(gone.driver.live(), 0U);
  EXPECT_EQ(reports_.size(), 2U);
}

TEST_F(RecoveryTest, LetsTheNextRequestRun) {
  bool broken = true;
  HandlerRig rig(guard([&broken](http::Request& request, http::Responder& response) -> Task<> {
    if (broken) throw std::runtime_error("once");
    return say_ok(request, response);
  }));
  EXPECT_EQ(rig.ask("GET", "/").status, 500U);
  broken = false;
  EXPECT_EQ(rig.ask("GET", "/").body, "ok");
}

}  // namespace
}  // namespace h2park::handlers
