// How deep connections sleep, as a worker lists it.
#include "support/worker_house.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace h2park::server {
namespace {

using namespace std::chrono_literals;
using stats::Depth;
using test::WorkerHouse;

constexpr std::size_t kAll = 1000;

Options freezing_after(Duration delay) {
  Options options = WorkerHouse::default_options();
  options.parking.freeze_after = delay;
  return options;
}

/// nullopt: a free place.
using Listed = std::vector<std::optional<Depth>>;

Listed depths(WorkerHouse& house, std::size_t end = kAll) {
  Listed out;
  for (const stats::Place& place : house.worker.depths(end).places) out.push_back(place.depth);
  return out;
}

/// Of the house's one connection. Which place it has depends on those that were there before.
stats::Place only(WorkerHouse& house) {
  stats::ThreadDepths all = house.worker.depths(kAll);
  std::erase(all.places, stats::Place{});
  EXPECT_EQ(all.places.size(), 1U);
  return all.places.empty() ? stats::Place{} : all.places.front();
}

TEST(Depths, AreThoseOfTheConnections) {
  WorkerHouse house(freezing_after(1s));
  EXPECT_EQ(depths(house), Listed{});
  auto first = house.greeted();
  house.advance(1s);
  auto second = house.greeted();
  const auto all = depths(house);
  EXPECT_EQ(std::ranges::count(all, Depth::kFrozen), 1);
  EXPECT_EQ(std::ranges::count(all, Depth::kParked), 1);
  EXPECT_EQ(std::ranges::count(all, Depth::kActive), 0);
}

TEST(Depths, LookingThawsAndWakesNothing) {
  WorkerHouse house(WorkerHouse::freezing_options());
  auto peer = house.greeted();
  ASSERT_EQ(house.frozen(), 1U);
  const auto before = house.wakes(WakeReason::kReadable);
  const auto thaws = house.worker.counters().thaws.get();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(only(house).depth, Depth::kFrozen);
  house.settle();
  EXPECT_EQ(house.frozen(), 1U);
  EXPECT_EQ(house.worker.counters().thaws.get(), thaws);
  EXPECT_EQ(house.wakes(WakeReason::kReadable), before);
}

TEST(Depths, KeepTheirPlacesAndLeaveOthersFree) {
  WorkerHouse house;
  auto first = house.greeted();
  auto second = house.greeted();
  auto third = house.greeted();
  second.reset();
  house.settle();
  EXPECT_EQ(depths(house), (Listed{Depth::kParked, std::nullopt, Depth::kParked}));
  third.reset();
  house.settle();
  EXPECT_EQ(depths(house), Listed{Depth::kParked}) << "free places at the end are not listed";
}

TEST(Depths, SayForHowLongTheRestHasLasted) {
  WorkerHouse house(freezing_after(1s));
  auto peer = house.greeted();
  house.advance(400ms);
  EXPECT_EQ(only(house).rested, 400ms);
  peer->ping();
  house.settle(*peer);
  EXPECT_EQ(only(house).rested, 0ms) << "it has been awake";
  house.advance(1s);
  house.advance(5s);
  EXPECT_EQ(only(house), (stats::Place{.depth = Depth::kFrozen, .rested = 5000ms}));
}

// Where nothing is ever frozen the time of parking is kept all the same.
TEST(Depths, SayForHowLongWithoutAFreezerToo) {
  WorkerHouse house;
  auto peer = house.greeted();
  house.advance(2min);
  EXPECT_EQ(only(house), (stats::Place{.depth = Depth::kParked, .rested = 120'000ms}));
  peer->ping();
  house.settle(*peer);
  EXPECT_EQ(only(house).rested, 0ms);
}

TEST(Depths, AreListedUpToABoundAndTheRestCounted) {
  WorkerHouse house;
  std::vector<std::unique_ptr<test::SocketPeer>> peers;
  for (int i = 0; i < 5; ++i) peers.push_back(house.greeted());
  EXPECT_EQ(depths(house, 3).size(), 3U);
  EXPECT_EQ(house.worker.depths(3).left_out, 2U);
  EXPECT_EQ(house.worker.depths(5).left_out, 0U);
}

TEST(Depths, AreAllActiveWithoutParking) {
  WorkerHouse house(WorkerHouse::default_options(false));
  auto peer = house.greeted();
  house.advance(1min);
  EXPECT_EQ(depths(house), Listed{Depth::kActive});
}

}  // namespace
}  // namespace h2park::server
