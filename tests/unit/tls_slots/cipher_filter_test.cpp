#include "tls/cipher_filter.hpp"

#include "freezer/granule_map.hpp"
#include "routed_fixture.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <random>

namespace h2park::tls {
namespace {

using Bytes = std::vector<std::byte>;

/// A context in use, as a connection has it: keyed, with a counter, having sealed something.
class Context {
 public:
  Context(const char* cipher, const std::string& key, int encrypt) : context_(EVP_CIPHER_CTX_new()) {
    EVP_CIPHER* fetched = EVP_CIPHER_fetch(nullptr, cipher, nullptr);
    CipherBlockCapture capture;
    EVP_CipherInit_ex(context_, fetched, nullptr, bytes(key), bytes("nonce-nonce-"), encrypt);
    EVP_CIPHER_free(fetched);
    block = {capture.block, freezer::granules_for(capture.bytes) * freezer::kGranuleBytes};
    std::array<unsigned char, 64> out;
    int n = 0;
    EVP_CipherUpdate(context_, out.data(), &n, bytes("some bytes of a record"), 22);
  }
  ~Context() { EVP_CIPHER_CTX_free(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::span<std::byte> block;

 private:
  static const unsigned char* bytes(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }
  EVP_CIPHER_CTX* context_;
};

std::string random_key(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string key(bytes, '\0');
  for (char& c : key) c = static_cast<char>(random());
  return key;
}

std::size_t nonzero(const Bytes& bytes) {
  return static_cast<std::size_t>(std::ranges::count_if(bytes, [](std::byte b) { return b != std::byte{}; }));
}

class GcmFilter : public WithRoutedSlots, public testing::WithParamInterface<std::size_t> {
 protected:
  const char* name() const { return GetParam() == 16 ? "AES-128-GCM" : "AES-256-GCM"; }
  CipherFilter filter_;
};
INSTANTIATE_TEST_SUITE_P(Tls, GcmFilter, testing::Values(16, 32),
                         [](const auto& of) { return "Aes" + std::to_string(of.param * 8); });

TEST_P(GcmFilter, LeavesTheKeyAndLittleElse) {
  for (const int encrypt : {0, 1}) {
    const Context context(name(), random_key(GetParam(), 1), encrypt);
    Bytes copy(context.block.begin(), context.block.end());
    ASSERT_TRUE(filter_.knows(copy.size()));
    const std::size_t before = nonzero(copy);
    ASSERT_TRUE(filter_.strip(copy, context.block.data()));
    EXPECT_GT(before, 400U);
    EXPECT_LT(nonzero(copy), GetParam() + 100);
  }
}

TEST_P(GcmFilter, DerivesTheBlockToTheLastBit) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Context context(name(), random_key(GetParam(), seed), seed % 2);
    const Bytes original(context.block.begin(), context.block.end());
    ASSERT_TRUE(filter_.strip(context.block, context.block.data()));  // in place, as after a thaw
    EXPECT_FALSE(std::ranges::equal(context.block, original));
    filter_.derive(context.block);
    EXPECT_TRUE(std::ranges::equal(context.block, original)) << seed;
  }
}

TEST_P(GcmFilter, LeavesABlockAloneThatHasNoKeyOrAnotherScheduleThanItsOwn) {
  const Context context(name(), random_key(GetParam(), 1), 1);
  const Bytes original(context.block.begin(), context.block.end());
  // A bit anywhere that the key decides: then it is no context that we understand. Elsewhere it is kept.
  for (std::size_t at = 0; at < original.size(); ++at) {
    Bytes changed = original;
    changed[at] ^= std::byte{4};
    Bytes copy = changed;
    if (!filter_.strip(copy, context.block.data())) {
      EXPECT_EQ(copy, changed) << at;
      continue;
    }
    std::ranges::copy(copy, context.block.begin());
    filter_.derive(context.block);
    EXPECT_TRUE(std::ranges::equal(context.block, changed)) << at;
  }
  std::ranges::copy(original, context.block.begin());
  Bytes zeros(original.size());
  EXPECT_FALSE(filter_.strip(zeros, context.block.data()));
  EXPECT_EQ(nonzero(zeros), 0U);
  Bytes noise(original.size());
  std::mt19937 random(1);
  for (std::byte& b : noise) b = static_cast<std::byte>(random());
  Bytes copy = noise;
  EXPECT_FALSE(filter_.strip(copy, context.block.data()));
  EXPECT_EQ(copy, noise);
}

TEST_P(GcmFilter, AKeyOfZerosStaysAsItIs) {
  for (const std::size_t zeros : {GetParam(), GetParam() / 2}) {
    std::string key = random_key(GetParam(), 1);
    std::fill(key.end() - static_cast<std::ptrdiff_t>(zeros), key.end(), '\0');
    const Context context(name(), key, 1);
    const Bytes original(context.block.begin(), context.block.end());
    if (filter_.strip(context.block, context.block.data())) filter_.derive(context.block);
    EXPECT_TRUE(std::ranges::equal(context.block, original)) << zeros;
  }
}

TEST(CipherFilter, KnowsNoOtherSizes) {
  const CipherFilter filter;
  for (std::size_t bytes = 0; bytes <= 512; bytes += 16) EXPECT_FALSE(filter.knows(bytes));
}

TEST(CipherFilter, KeepsNoKey) {
  CipherFilter filter;
  const std::string key = random_key(32, 7);
  const Context context("AES-256-GCM", key, 1);
  Bytes copy(context.block.begin(), context.block.end());
  ASSERT_TRUE(filter.strip(copy, context.block.data()));
  // The same again, from a fresh filter: had the first one's key any influence, it would differ.
  Bytes again(context.block.begin(), context.block.end());
  CipherFilter fresh;
  ASSERT_TRUE(fresh.strip(again, context.block.data()));
  EXPECT_EQ(copy, again);
}

}  // namespace
}  // namespace h2park::tls
