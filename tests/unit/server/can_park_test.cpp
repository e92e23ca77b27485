#include "server/dormancy.hpp"

#include <gtest/gtest.h>

namespace h2park::server {
namespace {

ParkFacts at_rest() {
  ParkFacts facts;
  facts.at_rest = true;
  return facts;
}

TEST(CanPark, AConnectionAtRestParks) { EXPECT_TRUE(can_park(at_rest())); }

TEST(CanPark, EachFactAloneForbidsIt) {
  ParkFacts facts = at_rest();
  facts.enabled = false;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.at_rest = false;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.output_queued = true;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.input_unprocessed = true;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.handlers_ready = true;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.stopping = true;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.send_registered = true;
  EXPECT_FALSE(can_park(facts));
  facts = at_rest();
  facts.rested_long_enough = false;
  EXPECT_FALSE(can_park(facts));
}

}  // namespace
}  // namespace h2park::server
