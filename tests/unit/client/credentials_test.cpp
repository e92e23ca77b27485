#include "client/credentials.hpp"

#include <gtest/gtest.h>

#include <string>

namespace h2park::client {
namespace {

TEST(Credentials, AreSplitAtTheFirstColon) {
  EXPECT_EQ(split_credentials("u:p").user, "u");
  EXPECT_EQ(split_credentials("u:p:q").password, "p:q");
  EXPECT_EQ(split_credentials("u").user, "u");
  EXPECT_EQ(split_credentials("u").password, "");
  EXPECT_EQ(split_credentials(":p").user, "");
  EXPECT_EQ(split_credentials("").user, "");
}

TEST(Credentials, AreBase64WithEveryPadding) {
  // RFC 7617 2 and 2.1.
  EXPECT_EQ(basic_authorization("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(basic_authorization("test", "123\xc2\xa3"), "Basic dGVzdDoxMjPCow==");
  EXPECT_EQ(basic_authorization("", ""), "Basic Og==");
  EXPECT_EQ(basic_authorization("u", ""), "Basic dTo=");
  EXPECT_EQ(basic_authorization("u", "p"), "Basic dTpw");
  EXPECT_EQ(basic_authorization("u", std::string("\xff\xfe\0\xff\xff", 5)), "Basic dTr//gD//w==");
}

}  // namespace
}  // namespace h2park::client
