#include "client/cookie_jar.hpp"

#include "base/clock.hpp"
#include "unit/net/test_sockets.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace h2park::client {
namespace {

using namespace std::chrono_literals;

class CookieJarTest : public ::testing::Test {
 protected:
  void set(const std::string& url, std::string_view cookie) {
    jar.store(*parse_url(url), cookie, time.wall());
  }
  std::string sent(const std::string& url) const { return jar.header_for(*parse_url(url), time.wall()); }
  void load(std::string_view text) { jar.load_text(text, time.wall()); }

  ManualTime time;
  CookieJar jar;
};

TEST_F(CookieJarTest, SendsBackWhatTheHostHasSet) {
  set("http://example.org/", "a=b");
  EXPECT_EQ(sent("http://example.org/"), "a=b");
  EXPECT_EQ(sent("http://example.org:8080/x?y"), "a=b") << "ports and paths below do not matter";
  EXPECT_EQ(sent("https://example.org/"), "a=b");
  EXPECT_EQ(sent("http://www.example.org/"), "") << "without Domain it is for the host only";
  EXPECT_EQ(sent("http://org/"), "");
  EXPECT_EQ(sent("http://other.org/"), "");
}

TEST_F(CookieJarTest, ReadsNameAndValueAsTheyStand) {
  set("http://a.b/1", "a = b=c ; Path=/1");
  EXPECT_EQ(sent("http://a.b/1"), "a=b=c");
  set("http://a.b/2", "q=\"x y\";path=/2");
  EXPECT_EQ(sent("http://a.b/2"), "q=\"x y\"");
  set("http://a.b/3", "empty=; Path=/3");
  EXPECT_EQ(sent("http://a.b/3"), "empty=");
}

TEST_F(CookieJarTest, IgnoresWhatIsNoCookie) {
  for (const std::string& text :
       {std::string(), std::string("novalue"), std::string("=x"), std::string(" = x"), std::string("; a=b"),
        std::string("a\x01=b"), std::string("a=b\r\nc"), "a=" + std::string(4096, 'x')}) {
    set("http://example.org/", text);
  }
  EXPECT_EQ(jar.size(), 0U);
  set("http://example.org/", "a=" + std::string(4095, 'x'));
  EXPECT_EQ(jar.size(), 1U);
}

TEST_F(CookieJarTest, ADomainIsForAllHostsBelowIt) {
  set("http://www.example.org/", "a=b; Domain=.Example.ORG");
  for (const char* url : {"http://example.org/", "http://www.example.org/", "http://x.y.example.org/"}) {
    EXPECT_EQ(sent(url), "a=b") << url;
  }
  EXPECT_EQ(sent("http://badexample.org/"), "");
  EXPECT_EQ(sent("http://org/"), "");
}

TEST_F(CookieJarTest, ADomainThatIsNotTheHostsIsRefused) {
  for (const char* domain :
       {"other.org", "sub.www.example.org", "ample.org", "org", ".org", "example.org.evil"}) {
    set("http://www.example.org/", std::string("a=b; Domain=") + domain);
    EXPECT_EQ(jar.size(), 0U) << domain;
  }
  set("http://www.example.org/", "a=b; Domain=");
  EXPECT_EQ(sent("http://www.example.org/"), "a=b");
  EXPECT_EQ(sent("http://x.www.example.org/"), "");
}

TEST_F(CookieJarTest, ADomainOfOneLabelAndAnAddressAreForTheVeryHost) {
  set("http://localhost/", "a=b; Domain=localhost");
  EXPECT_EQ(sent("http://localhost/"), "a=b");
  EXPECT_EQ(sent("http://x.localhost/"), "");
  set("http://127.0.0.1/", "c=d; Domain=127.0.0.1");
  EXPECT_EQ(sent("http://127.0.0.1/"), "c=d");
  set("http://127.0.0.1/", "e=f; Domain=0.0.1");
  set("http://127.0.0.1/", "e=f; Domain=.1");
  EXPECT_EQ(sent("http://127.0.0.1/"), "c=d");
  set("http://[::1]/", "g=h");
  EXPECT_EQ(sent("http://[::1]:81/"), "g=h");
}

TEST_F(CookieJarTest, PathsAreComparedBySegments) {
  set("http://a.b/", "a=b; Path=/dir");
  EXPECT_EQ(sent("http://a.b/dir"), "a=b");
  EXPECT_EQ(sent("http://a.b/dir?q"), "a=b");
  EXPECT_EQ(sent("http://a.b/dir/x"), "a=b");
  EXPECT_EQ(sent("http://a.b/directory"), "");
  EXPECT_EQ(sent("http://a.b/"), "");
  EXPECT_EQ(sent("http://a.b/?/dir"), "");
  set("http://a.c/", "a=b; Path=/dir/");
  EXPECT_EQ(sent("http://a.c/dir/x"), "a=b");
  EXPECT_EQ(sent("http://a.c/dir"), "");
}

TEST_F(CookieJarTest, TheDefaultPathIsTheRequestsDirectory) {
  set("http://a.b/x/y?z/w", "a=b");
  EXPECT_EQ(sent("http://a.b/x/other"), "a=b");
  EXPECT_EQ(sent("http://a.b/x"), "a=b");
  EXPECT_EQ(sent("http://a.b/"), "");
  set("http://a.c/x", "a=b; Path=relative");
  EXPECT_EQ(sent("http://a.c/"), "a=b");
}

TEST_F(CookieJarTest, SecureCookiesKeepToTlsAndThisMachine) {
  set("https://example.org/", "a=b; Secure");
  EXPECT_EQ(sent("https://example.org/"), "a=b");
  EXPECT_EQ(sent("http://example.org/"), "");
  set("http://other.org/", "a=b; Secure");
  EXPECT_EQ(sent("https://other.org/"), "") << "set over plain HTTP";
  set("http://localhost/", "c=d; secure");
  EXPECT_EQ(sent("http://localhost/"), "c=d");
}

TEST_F(CookieJarTest, PlainHttpDoesNotReplaceASecureCookie) {
  set("https://example.org/", "a=secret; Secure");
  set("http://example.org/", "a=forged");
  EXPECT_EQ(sent("https://example.org/"), "a=secret");
  set("https://example.org/", "a=new");
  EXPECT_EQ(sent("http://example.org/"), "a=new");
}

TEST_F(CookieJarTest, PrefixesBindTheirCookies) {
  set("https://a.b/", "__Secure-1=x");
  set("https://a.b/", "__Host-1=x; Secure; Path=/; Domain=a.b");
  set("https://a.b/", "__Host-2=x; Secure; Path=/x");
  EXPECT_EQ(jar.size(), 0U);
  set("https://a.b/", "__Secure-1=x; Secure");
  set("https://a.b/", "__Host-1=x; Secure; Path=/");
  EXPECT_EQ(jar.size(), 2U);
}

TEST_F(CookieJarTest, MaxAgeEndsACookie) {
  set("http://a.b/", "a=b; Max-Age=10");
  time.advance(9s);
  EXPECT_EQ(sent("http://a.b/"), "a=b");
  time.advance(1s);
  EXPECT_EQ(sent("http://a.b/"), "");
}

TEST_F(CookieJarTest, MaxAgeCountsMoreThanExpires) {
  set("http://a.b/", "a=b; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(sent("http://a.b/"), "a=b");
  set("http://a.c/", "a=b; Max-Age=0; Expires=Thu, 01 Jan 2099 00:00:00 GMT");
  EXPECT_EQ(sent("http://a.c/"), "");
}

TEST_F(CookieJarTest, MaxAgeOfAnySizeIsUnderstood) {
  for (const char* age : {"99999999999999999999999", "9223372036854775807", "1e3", "x", "", "+5", "5 s"}) {
    set("http://a.b/", std::string("a=b; Max-Age=") + age);
    time.advance(24h * 365 * 10);
    EXPECT_EQ(sent("http://a.b/"), "a=b") << age;
  }
  for (const char* age : {"0", "-1", "-99999999999999999999999"}) {
    set("http://a.b/", "a=b");
    set("http://a.b/", std::string("a=b; Max-Age=") + age);
    EXPECT_EQ(jar.size(), 0U) << age;
  }
}

TEST_F(CookieJarTest, ExpiresInThePastDeletes) {
  set("http://a.b/", "a=b");
  set("http://a.b/", "a=; expires=Thu, 01-Jan-1970 00:00:01 GMT");
  EXPECT_EQ(jar.size(), 0U);
  set("http://a.b/", "a=b; expires=rubbish");
  EXPECT_EQ(sent("http://a.b/"), "a=b");
}

TEST_F(CookieJarTest, TheSameNameDomainAndPathIsTheSameCookie) {
  set("http://a.b/", "x=1");
  set("http://a.b/", "y=2");
  set("http://a.b/", "x=3; Domain=a.b");
  set("http://a.b/", "x=4; Path=/p");
  EXPECT_EQ(sent("http://a.b/"), "x=3; y=2") << "a replaced cookie keeps its place";
  EXPECT_EQ(sent("http://a.b/p"), "x=4; x=3; y=2") << "longer paths first";
  EXPECT_EQ(jar.size(), 3U);
}

TEST_F(CookieJarTest, TheLastAttributeOfANameCounts) {
  set("http://a.b/", "a=b; Path=/x; PATH=/y ; SameSite=Lax; Unknown; HttpOnly");
  EXPECT_EQ(sent("http://a.b/y"), "a=b");
  EXPECT_EQ(sent("http://a.b/x"), "");
}

TEST_F(CookieJarTest, ReadsNetscapeFiles) {
  load(
      "# Netscape HTTP Cookie File\n"
      "\n"
      "example.org\tFALSE\t/\tFALSE\t0\thost\t1\n"
      ".example.org\tTRUE\t/\tFALSE\t4102444800\tdomain\t2\r\n"
      "#HttpOnly_example.org\tFALSE\t/x\tTRUE\t0\thidden\t3\n"
      "example.org\tFALSE\t/\tFALSE\t1\texpired\t4\n"
      "example.org\tFALSE\t/\tFALSE\t0\tempty\t\n"
      "example.org\tFALSE\t/\tFALSE\t0\tmissing\n"
      "example.org FALSE / FALSE 0 spaces 5\n"
      "example.org\tFALSE\t/\tFALSE\tx\tnonumber\t6\n"
      "example.org\tFALSE\t/\tFALSE\t0\ttoo\tmany\tfields\n"
      "example.org\tFALSE\t/\tFALSE\t0\tlast\t7");
  EXPECT_EQ(sent("http://example.org/"), "host=1; domain=2; empty=; missing=; last=7");
  EXPECT_EQ(sent("https://example.org/x"), "hidden=3; host=1; domain=2; empty=; missing=; last=7");
  EXPECT_EQ(sent("http://www.example.org/"), "domain=2");
}

TEST_F(CookieJarTest, ReadsTheSetCookieLinesOfResponseHeads) {
  load(
      "HTTP/1.1 200 OK\r\n"
      "set-COOKIE: a=b; Domain=example.org; Path=/x\r\n"
      "Set-Cookie: nobodys=1\r\n"
      "Content-Type: text/plain\r\n"
      "\r\n");
  EXPECT_EQ(sent("http://www.example.org/x"), "a=b");
  EXPECT_EQ(jar.size(), 1U);
}

TEST_F(CookieJarTest, LoadsFilesAndNamesThoseItCannotRead) {
  const net::TemporaryDirectory directory;
  std::ofstream(directory.file("jar")) << "a.b\tFALSE\t/\tFALSE\t0\tx\t1\n";
  std::ofstream(directory.file("empty"));
  EXPECT_TRUE(jar.load(directory.file("jar"), time.wall()));
  EXPECT_TRUE(jar.load(directory.file("empty"), time.wall()));
  EXPECT_TRUE(jar.load("", time.wall())) << "only switches cookies on";
  EXPECT_EQ(sent("http://a.b/"), "x=1");

  const auto missing = jar.load(directory.file("missing"), time.wall());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, directory.file("missing") + ": No such file or directory");
  EXPECT_EQ(missing.error().exit, Error::Exit::kReadFailed);
  EXPECT_FALSE(jar.load(directory.file(""), time.wall())) << "a directory";
}

TEST_F(CookieJarTest, TellsFilesFromCookies) {
  EXPECT_TRUE(CookieJar::names_a_file("cookies.txt"));
  EXPECT_TRUE(CookieJar::names_a_file(""));
  EXPECT_FALSE(CookieJar::names_a_file("a=b; c=d"));
}

TEST_F(CookieJarTest, KeepsTheNewestOfADomain) {
  for (std::size_t i = 0; i <= CookieJar::kMaxPerDomain; ++i)
    set("http://a.b/", "n" + std::to_string(i) + "=1");
  EXPECT_EQ(jar.size(), CookieJar::kMaxPerDomain);
  EXPECT_TRUE(sent("http://a.b/").starts_with("n1=1; "));
}

TEST_F(CookieJarTest, AnExpiredCookieGoesBeforeALivingOne) {
  set("http://a.b/", "living=1");
  set("http://a.b/", "short=1; Max-Age=1");
  for (std::size_t i = 2; i < CookieJar::kMaxPerDomain; ++i)
    set("http://a.b/", "n" + std::to_string(i) + "=1");
  time.advance(2s);
  set("http://a.b/", "new=1");
  EXPECT_TRUE(sent("http://a.b/").starts_with("living=1; n2"));
  EXPECT_EQ(jar.size(), CookieJar::kMaxPerDomain);
}

TEST_F(CookieJarTest, KeepsTheNewestInAll) {
  for (std::size_t i = 0; i <= CookieJar::kMaxInAll; ++i) set("http://h" + std::to_string(i) + ".b/", "a=1");
  EXPECT_EQ(jar.size(), CookieJar::kMaxInAll);
  EXPECT_EQ(sent("http://h0.b/"), "");
  EXPECT_EQ(sent("http://h1.b/"), "a=1");
}

TEST_F(CookieJarTest, AFieldHasAMaximumLength) {
  for (int i = 0; i < 10; ++i) set("http://a.b/", "n" + std::to_string(i) + "=" + std::string(1000, 'x'));
  const std::string field = sent("http://a.b/");
  EXPECT_LE(field.size(), CookieJar::kMaxHeaderBytes);
  EXPECT_GT(field.size(), CookieJar::kMaxHeaderBytes - 1100);
  EXPECT_TRUE(field.ends_with("x"));
}

}  // namespace
}  // namespace h2park::client
