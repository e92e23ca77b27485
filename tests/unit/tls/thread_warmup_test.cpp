#include "tls/thread_warmup.hpp"

#include "openssl_memory.hpp"
#include "support/tls_client.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <thread>

namespace h2park::tls {
namespace {

/// Blocks that a connection leaves behind on its thread after it is gone.
long left_behind(ServerContext& context, int version) {
  const long before = live_blocks();
  {
    Link link(context, {.version = version});
    EXPECT_TRUE(link.handshake());
  }
  return live_blocks() - before;
}

template <class Body>
void on_a_fresh_thread(Body body) {
  std::thread(body).join();
}

TEST(ThreadWarmup, TakesTheThreadsOwnMemoryBeforeItsFirstConnection) {
  const auto context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  // What the process allocates once is not the threads'.
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) left_behind(*context, version);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    on_a_fresh_thread([&] { EXPECT_GT(left_behind(*context, version), 0); });
    on_a_fresh_thread([&] {
      EXPECT_TRUE(warm_up_thread(*context));
      EXPECT_EQ(left_behind(*context, version), 0);
    });
  }
}

TEST(ThreadWarmup, LeavesNoErrors) {
  const auto context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  EXPECT_TRUE(warm_up_thread(*context));
  EXPECT_EQ(ERR_peek_error(), 0UL);
}

}  // namespace
}  // namespace h2park::tls
