#include "cmd/get_run.hpp"

#include "get_records.hpp"
#include "support/manual_reactor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <coroutine>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

/// A client whose answers the test gives.
class FakeClient {
 public:
  struct Call {
    client::Request request;
    client::ResponseListener* listener;
    client::Client::OnSettled settled;
    std::coroutine_handle<> waiting;
    TimePoint begun;
  };

  explicit FakeClient(test::ManualReactor& reactor) : reactor_(reactor) {}

  Task<> fetch(client::Request request, client::ResponseListener& listener,
               client::Client::OnSettled settled) {
    ++begun;
    const Listed call(calls, Call{std::move(request), &listener, std::move(settled), {}, reactor_.now()});
    if (at_once) {
      finish(*call.place);
      co_return;
    }
    co_await Wait{*call.place};
    if (!settles_later) finish(*call.place);
  }

  /// Ends the oldest call.
  void answer() { calls.front().waiting.resume(); }
  void answer_all() {
    for (std::size_t left = calls.size(); left > 0; --left) answer();
  }

  std::list<Call> calls;  // under way
  int begun = 0;
  bool at_once = false;
  bool settles_later = false;
  client::Record record = records::fresh_record();

 private:
  struct Listed {
    Listed(std::list<Call>& list_in, Call call)
        : list(list_in), place(list.insert(list.end(), std::move(call))) {}
    ~Listed() { list.erase(place); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;
    std::list<Call>& list;
    const std::list<Call>::iterator place;
  };
  struct Wait {
    Call& call;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) { call.waiting = waiting; }
    void await_resume() const noexcept {}
  };

  void finish(const Call& call) {
    client::Record told = record;
    const Duration moved = call.begun - told.timings.start;
    client::Timings& t = told.timings;
    for (TimePoint* point : {&t.start, &t.begin, &t.resolved, &t.connected, &t.secured, &t.ready, &t.sent,
                             &t.first_byte, &t.end}) {
      *point += moved;
    }
    t.end = reactor_.now();
    call.settled(told);
  }

  test::ManualReactor& reactor_;
};

GetSettings settings_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "get");
  const auto line = parse_command_line(arguments);
  EXPECT_TRUE(line) << line.error().message;
  auto settings = parse_get(line->values, [](std::string_view) { return std::nullopt; });
  EXPECT_TRUE(settings) << settings.error().message;
  return std::move(*settings);
}

/// A run of some options against the fake client.
class Rig {
 public:
  explicit Rig(const std::vector<std::string>& arguments)
      : settings(settings_of(arguments)), reports(settings) {}

  void start() {
    run.start();
    reactor.turn();
  }
  void answer() {
    client.answer();
    reactor.turn();
  }

  test::ManualReactor reactor;
  FakeClient client{reactor};
  GetSettings settings;
  Reports reports;
  bool ended = false;
  GetRun run{
      reactor, settings, reports,
      [this](client::Request request, client::ResponseListener& listener, client::Client::OnSettled settled) {
        return client.fetch(std::move(request), listener, std::move(settled));
      },
      [this] { ended = true; }};
};

TEST(GetRun, FetchesEachUrlOnceOneAfterTheOther) {
  Rig rig({"-o", "/dev/null", "-o", "/dev/null", "http://a/", "http://b/"});
  rig.start();
  ASSERT_EQ(rig.client.calls.size(), 1U);
  EXPECT_EQ(rig.client.calls.front().request.url.origin.host, "a");
  rig.answer();
  ASSERT_EQ(rig.client.calls.size(), 1U);
  EXPECT_EQ(rig.client.calls.front().request.url.origin.host, "b");
  EXPECT_FALSE(rig.ended);
  rig.answer();
  EXPECT_TRUE(rig.ended);
  EXPECT_EQ(rig.reports.summary().requests(), 2U);
}

TEST(GetRun, KeepsAsManyUnderWayAsItWasTold) {
  Rig rig({"-n", "7", "-c", "3", "http://a/", "http://b/"});
  rig.start();
  std::vector<std::string> hosts;
  while (!rig.ended) {
    EXPECT_EQ(rig.client.calls.size(), std::min<std::size_t>(3, 7 - hosts.size()));
    hosts.push_back(rig.client.calls.front().request.url.origin.host);
    rig.answer();
  }
  EXPECT_EQ(hosts, (std::vector<std::string>{"a", "b", "a", "b", "a", "b", "a"}));
  EXPECT_EQ(rig.client.begun, 7);
}

TEST(GetRun, MakesNoMoreWorkersThanRequests) {
  Rig rig({"-n", "2", "-c", "50", "http://a/"});
  rig.start();
  EXPECT_EQ(rig.client.calls.size(), 2U);
}

TEST(GetRun, ThinksBetweenAnswerAndRequest) {
  Rig rig({"-n", "2", "--think", "100ms", "http://a/"});
  rig.start();
  rig.answer();
  rig.reactor.advance(99ms);
  EXPECT_TRUE(rig.client.calls.empty());
  rig.reactor.advance(1ms);
  EXPECT_EQ(rig.client.calls.size(), 1U);
}

TEST(GetRun, SpacesRequestsEvenlyOverAllWorkers) {
  Rig rig({"-n", "5", "-c", "5", "-q", "100", "http://a/"});
  rig.start();
  for (std::size_t begun = 1; begun <= 5; ++begun) {
    EXPECT_EQ(rig.client.calls.size(), begun);
    rig.reactor.advance(9ms);
    EXPECT_EQ(rig.client.calls.size(), begun);
    rig.reactor.advance(1ms);
  }
}

TEST(GetRun, CountsTheWaitOfALateRequestAsItsLatency) {
  Rig rig({"-n", "2", "-q", "100", "http://a/"});
  rig.start();
  rig.reactor.advance(1s);  // the second one was due after 10 ms
  rig.answer();
  ASSERT_EQ(rig.client.calls.size(), 1U);
  rig.answer();
  EXPECT_EQ(rig.reports.summary().latency().max(), Duration(1s));
  EXPECT_EQ(rig.reports.summary().latency().min(), Duration(990ms));
  EXPECT_EQ(rig.reports.summary().phase(Phase::kTotal).min(), Duration::zero());
}

TEST(GetRun, BeginsNothingAfterItsDuration) {
  Rig rig({"-z", "1s", "http://a/"});
  rig.start();
  rig.answer();
  rig.reactor.advance(1s);
  ASSERT_EQ(rig.client.calls.size(), 1U);
  rig.answer();
  EXPECT_TRUE(rig.client.calls.empty());
  EXPECT_TRUE(rig.ended);
  EXPECT_EQ(rig.reports.summary().requests(), 2U);
  EXPECT_EQ(rig.reports.summary().cancelled(), 0U);
}

TEST(GetRun, GivesUpWhatDoesNotEnd) {
  Rig rig({"-z", "1s", "-c", "3", "http://a/"});
  rig.start();
  rig.reactor.advance(1s + GetRun::kGrace - 1ms);
  EXPECT_EQ(rig.client.calls.size(), 3U);
  rig.reactor.advance(1ms);
  EXPECT_TRUE(rig.client.calls.empty());
  EXPECT_TRUE(rig.ended);
  EXPECT_EQ(rig.reports.summary().cancelled(), 3U);
  EXPECT_EQ(rig.reports.exit_code(), 0);
}

TEST(GetRun, StopsWhereverItsWorkersAre) {
  for (const auto& options :
       {std::vector<std::string>{"-n", "9"}, {"-n", "9", "--think", "1h"}, {"-n", "9", "-q", "1/h"}}) {
    std::vector<std::string> arguments = options;
    arguments.emplace_back("http://a/");
    Rig rig(arguments);
    rig.start();
    if (options.size() > 2) rig.answer();  // now it thinks, or waits for its turn
    rig.run.stop();
    rig.reactor.turn();
    EXPECT_TRUE(rig.ended);
    EXPECT_TRUE(rig.client.calls.empty());
  }
}

TEST(GetRun, LetsGoOfTheThreadWhenRequestsEndAtOnce) {
  Rig rig({"-n", "1000000000", "http://a/"});
  rig.client.at_once = true;
  rig.run.start();
  EXPECT_LE(rig.client.begun, 2);
  rig.run.stop();
  rig.reactor.turn();
  EXPECT_TRUE(rig.ended);
}

TEST(GetRun, ReportsRequestsThatSettleLater) {
  Rig rig({"-n", "2", "http://a/"});
  rig.client.settles_later = true;
  rig.start();
  const auto first = rig.client.calls.front().settled;
  rig.answer();
  const auto second = rig.client.calls.front().settled;
  rig.answer();
  EXPECT_TRUE(rig.ended);
  EXPECT_EQ(rig.reports.summary().requests(), 0U);
  second(records::reused_record());
  first(records::fresh_record());
  EXPECT_EQ(rig.reports.summary().requests(), 2U);
}

TEST(GetRun, EndsWithTheCodeOfTheLastUrl) {
  Rig rig({"-s", "http://a/", "http://b/"});
  rig.start();
  rig.client.record = records::failed_record();
  rig.answer();
  EXPECT_EQ(rig.reports.exit_code(), 7);
  rig.client.record = records::fresh_record();
  rig.answer();
  EXPECT_EQ(rig.reports.exit_code(), 0);
}

TEST(GetRun, EndsWithTheCodeOfTheFirstFailureWhenRepeated) {
  Rig rig({"-sf", "-n", "3", "http://a/"});
  rig.start();
  rig.client.record.status = 404;
  rig.answer();
  rig.client.record = records::failed_record();
  rig.answer();
  rig.client.record = records::fresh_record();
  rig.answer();
  EXPECT_EQ(rig.reports.exit_code(), 22);
  EXPECT_EQ(rig.reports.summary().failures(), 2U);
}

class GetRunFiles : public testing::Test {
 protected:
  ~GetRunFiles() override { std::filesystem::remove(path_); }

  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  static http1::ResponseHead head(unsigned status) {
    http1::ResponseHead head;
    head.status = status;
    head.text = "HTTP/1.1 " + std::to_string(status) + " X\r\n\r\n";
    return head;
  }
  client::ResponseListener& listener(Rig& rig) { return *rig.client.calls.front().listener; }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("h2park-body-" + std::to_string(::getpid()));
};

TEST_F(GetRunFiles, WriteTheBody) {
  Rig rig({"-i", "-o", path_, "http://a/"});
  rig.start();
  listener(rig).on_head(head(200), false);
  listener(rig).on_body("one ");
  listener(rig).on_body("two");
  listener(rig).on_trailer("x", "y");
  rig.answer();
  EXPECT_EQ(content(), "HTTP/1.1 200 X\r\n\r\none twox: y\r\n");
}

TEST_F(GetRunFiles, AreMadeForEmptyBodiesButNotForFailures) {
  {
    Rig rig({"-o", path_, "http://a/"});
    rig.start();
    listener(rig).on_head(head(200), false);
    rig.answer();
    EXPECT_TRUE(std::filesystem::exists(path_));
    std::filesystem::remove(path_);
  }
  Rig rig({"-s", "-o", path_, "http://a/"});
  rig.client.record = records::failed_record();
  rig.start();
  rig.answer();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(GetRunFiles, GetTheBodiesOfRepeatedRequestsInTurn) {
  std::ofstream(path_) << "before";
  Rig rig({"-n", "2", "-o", path_, "http://a/"});
  rig.start();
  for (const char* body : {"one ", "two"}) {
    listener(rig).on_head(head(200), false);
    listener(rig).on_body(body);
    rig.answer();
  }
  EXPECT_EQ(content(), "one two");
}

TEST_F(GetRunFiles, LoseWhatARetryMakesAgain) {
  Rig rig({"-o", path_, "http://a/"});
  rig.start();
  for (const char* body : {"half", "whole body"}) {
    listener(rig).on_request("GET / HTTP/1.1\r\n\r\n");
    listener(rig).on_head(head(200), false);
    listener(rig).on_body(body);
  }
  rig.answer();
  EXPECT_EQ(content(), "whole body");
}

TEST_F(GetRunFiles, LoseTheHeadsOfWhatARetryMakesAgainButNotThoseOfRedirects) {
  for (const bool redirect : {false, true}) {
    Rig rig({"-i", "-o", path_, "http://a/"});
    rig.start();
    listener(rig).on_request("GET / HTTP/1.1\r\n\r\n");
    listener(rig).on_head(head(redirect ? 302 : 503), redirect);
    if (!redirect) listener(rig).on_body("busy");
    listener(rig).on_request("GET / HTTP/1.1\r\n\r\n");
    listener(rig).on_head(head(200), false);
    listener(rig).on_body("body");
    rig.answer();
    EXPECT_EQ(content(), (redirect ? head(302).text : "") + head(200).text + "body");
  }
}

TEST_F(GetRunFiles, GetNothingOfABodyWhoseCodingIsUnknown) {
  Rig rig({"-s", "--compressed", "-o", path_, "http://a/"});
  rig.start();
  http1::ResponseHead coded = head(200);
  coded.fields.add("content-encoding", "unheard-of");
  listener(rig).on_head(coded, false);
  listener(rig).on_body("what is this");
  rig.reactor.turn();
  EXPECT_EQ(content(), "");
  EXPECT_EQ(rig.reports.exit_code(), 61);
}

TEST_F(GetRunFiles, GetNoBodyOfAnErrorThatIsAFailure) {
  Rig rig({"-sf", "-o", path_, "http://a/"});
  rig.client.record.status = 404;
  rig.start();
  listener(rig).on_head(head(404), false);
  listener(rig).on_body("page");
  rig.answer();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(rig.reports.exit_code(), 22);
}

TEST_F(GetRunFiles, ThatCannotBeWrittenEndTheirRequest) {
  Rig rig({"-s", "-o", path_ + "/none", "-o", path_, "http://a/", "http://b/"});
  rig.start();
  listener(rig).on_head(head(200), false);
  listener(rig).on_body("x");
  rig.reactor.turn();
  ASSERT_EQ(rig.client.calls.size(), 1U) << "the next one";
  EXPECT_EQ(rig.client.calls.front().request.url.origin.host, "b");
  EXPECT_EQ(rig.reports.exit_code(), 23);
}

TEST_F(GetRunFiles, GetDecodedBodies) {
  constexpr std::string_view kGzip{
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\x28\xcf\x2f\xca\x49\x01\x00\x85\x11"
      "\x4a\x0d\x0b"
      "\x00\x00\x00",
      31};
  http1::ResponseHead encoded = head(200);
  encoded.fields.add("content-encoding", "gzip");
  {
    Rig rig({"--compressed", "-o", path_, "http://a/"});
    rig.start();
    listener(rig).on_head(encoded, false);
    listener(rig).on_body(kGzip);
    rig.answer();
    EXPECT_EQ(content(), "hello world");
    EXPECT_EQ(rig.reports.exit_code(), 0);
  }
  Rig rig({"-s", "--compressed", "-o", path_, "http://a/"});
  rig.start();
  listener(rig).on_head(encoded, false);
  listener(rig).on_body(kGzip.substr(0, 20));
  rig.answer();
  EXPECT_EQ(rig.reports.exit_code(), 61) << "its end is missing";
}

}  // namespace
}  // namespace h2park::cmd
