#include "tls/equal_secrets.hpp"

#include <gtest/gtest.h>

namespace h2park::tls {
namespace {

TEST(EqualSecrets, ComparesAllBytes) {
  EXPECT_TRUE(equal_secrets("", ""));
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_FALSE(equal_secrets("abc", "abd"));
  EXPECT_FALSE(equal_secrets("abc", "xbc"));
  EXPECT_FALSE(equal_secrets("abc", "ab"));
  EXPECT_FALSE(equal_secrets("", "a"));
  EXPECT_FALSE(equal_secrets({"a\0b", 3}, {"a\0c", 3}));
}

}  // namespace
}  // namespace h2park::tls
