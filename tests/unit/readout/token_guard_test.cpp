#include "readout/token_guard.hpp"

#include <gtest/gtest.h>

namespace h2park::readout {
namespace {

const TokenGuard kGuard("s3cret==");

TEST(TokenGuard, AdmitsTheBearer) {
  for (const char* shown : {"Bearer s3cret==", "bearer s3cret==", "BEARER   s3cret=="}) {
    EXPECT_TRUE(kGuard.admits(shown)) << shown;
  }
}

TEST(TokenGuard, RefusesEverythingElse) {
  for (const char* shown :
       {"", "Bearer", "Bearer ", "Bearer s3cret=", "Bearer s3cret===", "Bearer S3CRET==", "Bearer s3cret== x",
        "Bearer\ts3cret==", "s3cret==", "Token s3cret==", "Bearers3cret==", "Basic s3cret=="}) {
    EXPECT_FALSE(kGuard.admits(shown)) << shown;
  }
}

// base64 by coreutils
TEST(TokenGuard, AdmitsThePasswordOfAnyUser) {
  for (const char* shown : {"Basic OnMzY3JldD09",         // :s3cret==
                            "basic YTpzM2NyZXQ9PQ==",     // a:s3cret==
                            "Basic YWI6czNjcmV0PT0="}) {  // ab:s3cret==
    EXPECT_TRUE(kGuard.admits(shown)) << shown;
  }
}

TEST(TokenGuard, RefusesOtherPasswords) {
  for (const char* shown : {"Basic ", "Basic Og==",    // :
                            "Basic czNjcmV0PT0=",      // s3cret==
                            "Basic czNjcmV0PT06",      // s3cret==:
                            "Basic OnMzY3JldD0=",      // :s3cret=
                            "Basic YTpiOnMzY3JldD09",  // a:b:s3cret==, whose password is b:s3cret==
                            "Basic OnMzY3JldD09 ", "Basic OnMzY3JldD0", "Basic O=MzY3JldD09",
                            "Basic -nMzY3JldD09", "Basic ====", "Basic ="}) {
    EXPECT_FALSE(kGuard.admits(shown)) << shown;
  }
}

TEST(TokenGuard, IsOpenWithoutAToken) {
  const TokenGuard open("");
  EXPECT_TRUE(open.open());
  EXPECT_TRUE(open.admits(""));
  EXPECT_TRUE(open.admits("Bearer whatever"));
  EXPECT_FALSE(kGuard.open());
}

TEST(TokenGuard, TellsWhoHasShownNothingFromWhoHasShownTheWrongToken) {
  EXPECT_EQ(TokenGuard::challenges("", false), std::vector<std::string>{R"(Bearer realm="h2park")"});
  EXPECT_EQ(TokenGuard::challenges("Bearer x", false),
            std::vector<std::string>{R"(Bearer realm="h2park", error="invalid_token")"});
}

TEST(TokenGuard, AsksABrowserForAPassword) {
  const auto values = TokenGuard::challenges("", true);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_TRUE(values[1].starts_with("Basic realm=")) << values[1];
}

}  // namespace
}  // namespace h2park::readout
