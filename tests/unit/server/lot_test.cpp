#include "server/lot.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;

/// Two ends of a socket pair.
struct Pair {
  Pair() {
    std::array<int, 2> both{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both.data()) != 0) throw std::bad_alloc();
    near = net::UniqueFd(both[0]);
    far = net::UniqueFd(both[1]);
  }
  void say() const { EXPECT_EQ(write(far.get(), "x", 1), 1); }

  net::UniqueFd near, far;
};

std::vector<ConnectionId> drain(Lot& lot) {
  std::vector<ConnectionId> ids;
  lot.drain([&](ConnectionId id, std::uint32_t) { ids.push_back(id); });
  return ids;
}

class LotTest : public testing::Test {
 protected:
  Lot lot = Lot::open().value();
};

TEST_F(LotTest, TellsConnectionsByIdAndOthersByNumber) {
  const Pair connection, listener;
  const ConnectionId id{7, 3};
  ASSERT_EQ(lot.add(connection.near.get(), id, Lot::kInput), 0);
  ASSERT_EQ(lot.watch(listener.near.get(), 5), 0);
  connection.say();
  listener.say();
  lot.wait(10s);
  EXPECT_EQ(std::vector(lot.others().begin(), lot.others().end()), std::vector{5U});
  EXPECT_EQ(drain(lot), std::vector{id});
}

TEST_F(LotTest, KeepsWhatAWaitFoundForTheNextDrainOnly) {
  const Pair connection;
  ASSERT_EQ(lot.add(connection.near.get(), {1, 1}, Lot::kInput), 0);
  lot.wait(0ns);
  connection.say();
  EXPECT_TRUE(drain(lot).empty()) << "what came later waits for the next look";
  EXPECT_EQ(drain(lot).size(), 1U) << "which a drain takes by itself";
  EXPECT_EQ(drain(lot).size(), 1U) << "level-triggered: nobody has read it";
}

TEST_F(LotTest, AnnouncesOthersUntilTheyAreUnwatched) {
  const Pair listener;
  ASSERT_EQ(lot.watch(listener.near.get(), 0), 0);
  listener.say();
  for (int i = 0; i < 2; ++i) {
    lot.wait(10s);
    EXPECT_EQ(lot.others().size(), 1U);
  }
  lot.unwatch(listener.near.get());
  lot.wait(0ns);
  EXPECT_TRUE(lot.others().empty());
}

TEST_F(LotTest, ARingEndsAWaitOnce) {
  std::thread other([this] { lot.ring(); });
  lot.wait(std::chrono::hours(1));
  EXPECT_TRUE(lot.rung());
  other.join();
  lot.wait(0ns);
  EXPECT_FALSE(lot.rung());
}

TEST_F(LotTest, ARingBeforeTheWaitIsNotLost) {
  for (int i = 0; i < 3; ++i) lot.ring();
  lot.wait(std::chrono::hours(1));
  EXPECT_TRUE(lot.rung());
  EXPECT_TRUE(drain(lot).empty());
}

TEST_F(LotTest, EndsAWaitWhenItsTimeIsOver) {
  const TimePoint before = Clock::now();
  lot.wait(2ms);
  EXPECT_GE(Clock::now() - before, 2ms);
  EXPECT_FALSE(lot.rung());
}

TEST_F(LotTest, TakesALongTimeForForever) {
  lot.ring();
  lot.wait(Duration::max());
  EXPECT_TRUE(lot.rung());
}

}  // namespace
}  // namespace h2park::server
