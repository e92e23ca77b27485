#include "tls/allocation_sites.hpp"

#include <gtest/gtest.h>

namespace h2park::tls {
namespace {

TEST(AllocationSites, KnowsPerConnectionFilesHoweverTheLibraryWasBuilt) {
  EXPECT_TRUE(is_per_connection("ssl/ssl_lib.c"));
  EXPECT_TRUE(is_per_connection("../ssl/ssl_lib.c"));
  EXPECT_TRUE(is_per_connection("../../ssl/statem/extensions.c"));
  EXPECT_TRUE(is_per_connection("../providers/implementations/ciphers/cipher_aes_gcm.c"));
  EXPECT_TRUE(is_per_connection("crypto/x509/x509_vpm.c"));
}

TEST(AllocationSites, LeavesTheRecordLayersBuffersToTheHeap) {
  EXPECT_FALSE(is_per_connection("../ssl/record/ssl3_buffer.c"));
  EXPECT_FALSE(is_per_connection("../crypto/buffer/buffer.c"));
  EXPECT_FALSE(is_per_connection("../crypto/bio/bf_buff.c"));
}

TEST(AllocationSites, LeavesWhatItDoesNotKnowToTheHeap) {
  EXPECT_FALSE(is_per_connection(nullptr));
  EXPECT_FALSE(is_per_connection(""));
  EXPECT_FALSE(is_per_connection("../"));
  EXPECT_FALSE(is_per_connection("../crypto/err/err.c"));
  EXPECT_FALSE(is_per_connection("../crypto/evp/evp_fetch.c"));
  EXPECT_FALSE(is_per_connection("/usr/src/ssl/ssl_lib.c")) << "no build of the library says so";
  EXPECT_FALSE(is_per_connection("../quic/ssl/quic.c"));
}

}  // namespace
}  // namespace h2park::tls
