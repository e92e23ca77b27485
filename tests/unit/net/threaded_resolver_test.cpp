#include "net/threaded_resolver.hpp"

#include "support/manual_reactor.hpp"
#include "test_sockets.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace h2park::net {
namespace {

using Addresses = Resolver::Addresses;

/// What came, as text: "127.0.0.1:80 [::1]:80", or the error.
struct Answer {
  Resolver::OnResolved callback() {
    return [this](const Result<Addresses>& got) {
      ++times;
      text = got ? "" : got.error().message;
      if (!got) return;
      for (const SocketAddress& address : *got) text += (text.empty() ? "" : " ") + address.text();
    };
  }
  std::string text = "none";
  int times = 0;
};

/// A name service that answers when the test says so. Lifetime: of whoever still uses it.
struct Service {
  ThreadedResolver::Lookup lookup(const std::shared_ptr<Service>& self) {
    return [self](const std::string& host, Family) -> Result<Addresses> {
      ++self->asked;
      if (host == "silent") self->released.wait();
      if (host == "unknown") return fail("Name or service not known");
      return resolve(Endpoint{.host = host == "other" ? "127.0.0.2" : "127.0.0.1"});
    };
  }
  std::atomic<int> asked = 0;
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
};

/// Counts what is posted to it.
class CountingReactor final : public Reactor {
 public:
  explicit CountingReactor(Reactor& below) : below_(below) {}
  const TimeSource& time() const override { return below_.time(); }
  std::unique_ptr<Watch> watch(int fd, ReadyListener& listener) override {
    return below_.watch(fd, listener);
  }
  TimerQueue& timers() override { return below_.timers(); }
  void post(std::move_only_function<void()> work) override {
    ++posts;
    below_.post(std::move(work));
  }
  std::atomic<int> posts = 0;

 private:
  Reactor& below_;
};

class ResolverTest : public testing::Test {
 protected:
  ~ResolverTest() override {
    if (!released) service->release.set_value();
  }
  void release() {
    released = true;
    service->release.set_value();
  }
  bool told(const Answer& one) {
    return reactor.turn_until([&] { return one.times > 0; });
  }

  bool released = false;
  std::shared_ptr<Service> service = std::make_shared<Service>();
  test::ManualReactor reactor;
  std::optional<ThreadedResolver> resolver{std::in_place, reactor, service->lookup(service)};
  Answer answer;
};

TEST_F(ResolverTest, TakesLiteralAddressesWithoutAskingAnybody) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"127.0.0.1", "127.0.0.1:80"}, {"127.1", "127.0.0.1:80"},         {"::1", "[::1]:80"},
      {"[::1]", "[::1]:80"},         {"fe80::1%lo", "[fe80::1%lo]:80"}, {"[fe80::1%1]", "[fe80::1%lo]:80"}};
  for (const auto& [host, expected] : cases) {
    Answer got;
    const auto handle = resolver->resolve(host, 80, Family::kAny, got.callback());
    EXPECT_EQ(got.times, 0);  // in a later turn
    reactor.turn();
    EXPECT_EQ(got.text, expected) << host;
    EXPECT_EQ(got.times, 1);
  }
  EXPECT_EQ(service->asked, 0);
}

TEST_F(ResolverTest, SaysWhatIsWrongWithALiteral) {
  auto handle = resolver->resolve("127.0.0.1", 80, Family::kIpv6, answer.callback());
  reactor.turn();
  EXPECT_EQ(answer.text, "Address family for hostname not supported");
  handle = resolver->resolve("fe80::1%nosuch0", 80, Family::kAny, answer.callback());
  reactor.turn();
  EXPECT_EQ(answer.text, "No such device");
  handle = resolver->resolve("::1::", 80, Family::kAny, answer.callback());
  reactor.turn();
  EXPECT_EQ(answer.text, "Name or service not known");
}

TEST_F(ResolverTest, AsksTheSystemForNamesInTheFamilyThatIsWanted) {
  ThreadedResolver system(reactor);
  Answer four;
  const auto handle = system.resolve("localhost", 8080, Family::kIpv4, four.callback());
  ASSERT_TRUE(told(four));
  EXPECT_EQ(four.text, "127.0.0.1:8080");
  const auto any = system.resolve("localhost", 8080, Family::kAny, answer.callback());
  ASSERT_TRUE(told(answer));
  EXPECT_NE(answer.text.find("127.0.0.1:8080"), std::string::npos);
}

TEST_F(ResolverTest, TellsWhyANameIsNotKnown) {
  const auto handle = resolver->resolve("unknown", 80, Family::kAny, answer.callback());
  ASSERT_TRUE(told(answer));
  EXPECT_EQ(answer.text, "Name or service not known");
}

TEST_F(ResolverTest, ASilentServerHoldsUpNoOtherName) {
  Answer silent;
  const auto slow = resolver->resolve("silent", 80, Family::kAny, silent.callback());
  const auto quick = resolver->resolve("other", 80, Family::kAny, answer.callback());
  ASSERT_TRUE(told(answer));
  EXPECT_EQ(answer.text, "127.0.0.2:80");
  EXPECT_EQ(silent.times, 0);
  EXPECT_EQ(resolver->lookups(), 1U);
  release();
  ASSERT_TRUE(told(silent));
  EXPECT_EQ(silent.text, "127.0.0.1:80");
}

TEST_F(ResolverTest, AsksOnceForANameThatIsBeingLookedUpWhateverThePort) {
  Answer second;
  const auto a = resolver->resolve("silent", 80, Family::kAny, answer.callback());
  const auto b = resolver->resolve("silent", 443, Family::kAny, second.callback());
  release();
  ASSERT_TRUE(told(answer));
  EXPECT_EQ(answer.text, "127.0.0.1:80");
  EXPECT_EQ(second.text, "127.0.0.1:443");
  EXPECT_EQ(service->asked, 1);
  Answer third;
  const auto c = resolver->resolve("silent", 80, Family::kAny, third.callback());
  ASSERT_TRUE(told(third));  // nothing is kept: names may move
  EXPECT_EQ(service->asked, 2);
}

TEST_F(ResolverTest, ADestroyedHandleIsNotTold) {
  Answer other;
  auto number = resolver->resolve("::1", 80, Family::kAny, answer.callback());
  auto name = resolver->resolve("silent", 80, Family::kAny, answer.callback());
  const auto kept = resolver->resolve("silent", 80, Family::kAny, other.callback());
  number.reset();
  name.reset();
  release();
  ASSERT_TRUE(told(other));
  EXPECT_EQ(answer.times, 0);
}

TEST_F(ResolverTest, ACallbackMayEndItsHandleAnotherAndTheResolver) {
  std::vector<std::shared_ptr<void>> handles;
  int told_callers = 0;
  const auto end_all = [&](const Result<Addresses>& got) {
    EXPECT_TRUE(got);
    ++told_callers;
    handles.clear();
    resolver.reset();
  };
  handles.push_back(resolver->resolve("silent", 80, Family::kAny, end_all));
  handles.push_back(resolver->resolve("silent", 80, Family::kAny, end_all));
  release();
  reactor.turn_until([&] { return told_callers > 0; });
  EXPECT_EQ(told_callers, 1);
}

TEST_F(ResolverTest, LeavesTheReactorAloneOnceItIsGone) {
  CountingReactor counting(reactor);
  resolver.emplace(counting, service->lookup(service));
  const auto handle = resolver->resolve("silent", 80, Family::kAny, answer.callback());
  resolver.reset();
  const std::weak_ptr<Service> watched = service;
  release();
  service.reset();
  ASSERT_TRUE(reactor.turn_until([&] { return watched.expired(); }));  // the thread is through
  EXPECT_EQ(counting.posts, 0);
  EXPECT_EQ(answer.times, 0);
}

TEST_F(ResolverTest, AnAnswerOnItsWayIsDroppedWithTheResolver) {
  const auto handle = resolver->resolve("::1", 80, Family::kAny, answer.callback());
  resolver.reset();
  reactor.turn();
  EXPECT_EQ(answer.times, 0);
}

TEST_F(ResolverTest, ASilentServerDoesNotHoldUpTheEndOfTheProcess) {
  const int status = in_child([] {
    ::alarm(20);  // a hang ends with SIGALRM
    test::ManualReactor mine;
    std::promise<void> begun;
    ThreadedResolver hung(mine, [&begun](const std::string&, Family) -> Result<Addresses> {
      begun.set_value();
      for (;;) ::pause();
    });
    const auto handle = hung.resolve("silent", 80, Family::kAny, [](const Result<Addresses>&) {});
    begun.get_future().wait();
    std::exit(7);
    return 0;
  });
  EXPECT_EQ(status, 7);
}

}  // namespace
}  // namespace h2park::net
