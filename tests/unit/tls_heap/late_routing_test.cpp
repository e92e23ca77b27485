// Where OpenSSL was in use before its allocations could be routed: an executable of its own, as routing
// cannot be undone.
#include "support/worker_house.hpp"
#include "tls/openssl.hpp"
#include "tls/slot_routing.hpp"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

namespace h2park::tls {
namespace {

using namespace std::chrono_literals;
using test::WorkerHouse;

// Before any test.
const SslContextPtr kUsed(SSL_CTX_new(TLS_client_method()));

TEST(LateRouting, IsRefusedAndSaysSo) {
  ASSERT_TRUE(kUsed);
  EXPECT_FALSE(route_allocations());
  EXPECT_FALSE(allocations_are_routed());
  EXPECT_FALSE(route_allocations()) << "again";
}

TEST(LateRouting, LeavesTheLibrarysOwnAllocator) {
  auto slots = freezer::Slots::reserve(1).value();
  const RoutedSlots routed(slots);
  freezer::SlotHeap& heap = *slots.take();
  void* const inside = heap.obtain(16);
  {
    const ConnectionAllocations here(inside);
    void* block = CRYPTO_malloc(100, "../ssl/ssl_lib.c", 1);
    EXPECT_FALSE(slots.contains(block));
    CRYPTO_free(block, "../ssl/ssl_lib.c", 1);
  }
  EXPECT_EQ(heap.live_blocks(), 1U);
  heap.release(inside);
  EXPECT_EQ(slots.give_back(heap), 0U);
}

class LateTls : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Tls, LateTls, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(LateTls, ConnectionsAreParkedOnly) {
  ASSERT_FALSE(route_allocations());
  WorkerHouse house(WorkerHouse::freezing_options());
  house.secure({.version = GetParam(), .alpn = {"h2"}});
  auto peer = house.greeted();
  house.advance(1min);
  EXPECT_EQ(house.parked(), 1U);
  EXPECT_EQ(house.frozen(), 0U);
  EXPECT_EQ(house.slots->taken(), 0U) << "it needs no slot";
  const auto stream = peer->get("/hello");
  house.settle(*peer);
  EXPECT_EQ(peer->response(stream).body, "hello\n");
}

TEST(LateRouting, DoesNotKeepPlainConnectionsFromFreezing) {
  ASSERT_FALSE(route_allocations());
  WorkerHouse house(WorkerHouse::freezing_options());
  auto peer = house.greeted();
  EXPECT_EQ(house.frozen(), 1U);
}

}  // namespace
}  // namespace h2park::tls
