#include "client/url.hpp"

#include <gtest/gtest.h>

#include <string>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace h2park::client {
namespace {

Url parsed(std::string_view text) {
  auto url = parse_url(text);
  EXPECT_TRUE(url) << text << ": " << (url ? "" : url.error().message);
  if (!url) return {};
  // What goes on the wire is a URL to the letter, whatever was typed.
  EXPECT_TRUE(boost::urls::parse_origin_form(url->target)) << url->target;
  return std::move(*url);
}

std::string refusal(std::string_view text) {
  const auto url = parse_url(text);
  EXPECT_FALSE(url) << text << " was read as " << (url ? url->text() : "");
  if (url) return {};
  EXPECT_EQ(url.error().exit, Error::Exit::kUsage);
  EXPECT_EQ(url.error().message.find('\n'), std::string::npos);
  return url.error().message;
}

std::string resolved(std::string_view base, std::string_view reference) {
  const auto url = resolve_url(parsed(base), reference);
  if (!url) return "error: " + url.error().message;
  EXPECT_TRUE(boost::urls::parse_origin_form(url->target)) << url->target;
  return url->text() + (url->fragment.empty() ? "" : "#" + url->fragment);
}

TEST(Url, IsTakenApart) {
  const Url url = parsed("https://example.org:8443/a/b?c=d&e#f");
  EXPECT_TRUE(url.origin.secure);
  EXPECT_EQ(url.origin.host, "example.org");
  EXPECT_EQ(url.origin.port, 8443);
  EXPECT_EQ(url.target, "/a/b?c=d&e");
  EXPECT_EQ(url.fragment, "f");
  EXPECT_FALSE(url.has_credentials);
  EXPECT_EQ(url.text(), "https://example.org:8443/a/b?c=d&e");
}

TEST(Url, WithoutASchemeIsHttp) {
  EXPECT_EQ(parsed("example.org/a").text(), "http://example.org/a");
  EXPECT_EQ(parsed("localhost:8080").text(), "http://localhost:8080/");
  EXPECT_EQ(parsed("localhost:8080/x:y").text(), "http://localhost:8080/x:y");
  EXPECT_EQ(parsed("[::1]:81/").text(), "http://[::1]:81/");
  EXPECT_EQ(parsed("u:p@host").user, "u");
  EXPECT_EQ(parsed("127.0.0.1").text(), "http://127.0.0.1/");
}

TEST(Url, SchemeAndHostHaveNoCase) {
  EXPECT_EQ(parsed("HTTPS://EXAMPLE.org/Path").text(), "https://example.org/Path");
  EXPECT_EQ(parsed("hTtP://a").origin, parsed("http://A:80").origin);
}

TEST(Url, HasOneToThreeSlashesLikeCurls) {
  EXPECT_EQ(parsed("http:/example.org").text(), "http://example.org/");
  EXPECT_EQ(parsed("http:///example.org/x").text(), "http://example.org/x");
  EXPECT_NE(refusal("http:////example.org"), "");
}

TEST(Url, DefaultPortsAreLeftOut) {
  EXPECT_EQ(parsed("http://a:80/").text(), "http://a/");
  EXPECT_EQ(parsed("https://a:443/").origin.authority(), "a");
  EXPECT_EQ(parsed("https://a:80/").origin.authority(), "a:80");
  EXPECT_EQ(parsed("http://a:443/").origin.text(), "http://a:443");
  EXPECT_EQ(parsed("http://a:/x").text(), "http://a/x");
  EXPECT_EQ(parsed("https://a").origin.port, 443);
}

TEST(Url, EmptyPathIsASlashAlsoBeforeAQuery) {
  EXPECT_EQ(parsed("http://a").target, "/");
  EXPECT_EQ(parsed("http://a?b=c").target, "/?b=c");
  EXPECT_EQ(parsed("http://a?").target, "/?");
  EXPECT_EQ(parsed("http://a#b").target, "/");
  EXPECT_EQ(parsed("http://a#b/c?d").fragment, "b/c?d");
  EXPECT_EQ(parsed("http://a?b/c@d:e").target, "/?b/c@d:e");
}

TEST(Url, UserinfoIsDecodedAndNotPartOfTheText) {
  const Url url = parsed("http://us%65r:p%40ss%3A:w@host:81/x");
  EXPECT_TRUE(url.has_credentials);
  EXPECT_EQ(url.user, "user");
  EXPECT_EQ(url.password, "p@ss::w");
  EXPECT_EQ(url.text(), "http://host:81/x");
  EXPECT_EQ(parsed("http://name@host").password, "");
  EXPECT_TRUE(parsed("http://@host").has_credentials);
  EXPECT_EQ(parsed("http://:p@host").password, "p");
  EXPECT_NE(refusal("http://u:p@ss@host/"), "");
  EXPECT_NE(refusal("http://u%0d%0aX:p@host/"), "");
  EXPECT_NE(refusal("http://u%zz@host/"), "");
}

TEST(Url, Ipv6StandsInBrackets) {
  const Url url = parsed("http://[2001:DB8:0::0001]:8080/a");
  EXPECT_EQ(url.origin.host, "2001:db8::1");
  EXPECT_EQ(url.origin.authority(), "[2001:db8::1]:8080");
  EXPECT_EQ(url.text(), "http://[2001:db8::1]:8080/a");
  EXPECT_EQ(parsed("http://[::1]").origin.port, 80);
  EXPECT_NE(refusal("::1").find("brackets"), std::string::npos);
  EXPECT_NE(refusal("http://2001:db8::1/").find("brackets"), std::string::npos);
  EXPECT_NE(refusal("http://[::1/").find("bracket"), std::string::npos);
  EXPECT_NE(refusal("http://[::g]/"), "");
  EXPECT_NE(refusal("http://[::1]x/"), "");
  EXPECT_NE(refusal("http://[v1.a]/"), "");
  EXPECT_NE(refusal("http://[]/"), "");
}

TEST(Url, AZoneIsForConnectingAndNotForTheHostField) {
  for (const char* text : {"http://[fe80::1%25Eth0]:81/", "http://[fe80::1%Eth0]:81/"}) {
    const Url url = parsed(text);
    EXPECT_EQ(url.origin.host, "fe80::1%Eth0");
    EXPECT_EQ(url.origin.authority(), "[fe80::1]:81");
    EXPECT_EQ(url.text(), "http://[fe80::1%25Eth0]:81/");
  }
  EXPECT_EQ(parsed("http://[fe80::1%252]/").origin.host, "fe80::1%2");
  EXPECT_EQ(parsed("http://[fe80::1%25]/").origin.host, "fe80::1%25");
  EXPECT_NE(refusal("http://[fe80::1%]/"), "");
  EXPECT_NE(refusal("http://[fe80::1%25averyverylongname]/"), "");
}

TEST(Url, Ipv4IsWrittenInOneWay) {
  EXPECT_EQ(parsed("127.1").origin.host, "127.0.0.1");
  EXPECT_EQ(parsed("http://0x7f000001:1/").origin.host, "127.0.0.1");
  EXPECT_EQ(parsed("http://017700000001/").origin.host, "127.0.0.1");
  EXPECT_EQ(parsed("2130706433:1").origin.authority(), "127.0.0.1:1");
  EXPECT_EQ(parsed("http://1.2.3.4.5/").origin.host, "1.2.3.4.5");
}

TEST(Url, HostsAreDecodedAndChecked) {
  EXPECT_EQ(parsed("http://ex%61mple.ORG/").origin.host, "example.org");
  EXPECT_EQ(parsed("http://a_b-c.d/").origin.host, "a_b-c.d");
  EXPECT_EQ(parsed("http://a./").origin.host, "a.");
  for (const char* text : {"http://", "http:///", "", "/path", "?q", "#f", "http://:80/", "http://u@/",
                           "http://a%20b/", "http://a%0ab/", "http://a%00b/", "http://a,b/", "http://a\"b/",
                           "http://a\\b/", "http://a%2fb/", "http://a%zz/", "http://a%/"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
  EXPECT_NE(refusal("http:///").find("host"), std::string::npos);
}

TEST(Url, PortsHaveARange) {
  EXPECT_EQ(parsed("a:1").origin.port, 1);
  EXPECT_EQ(parsed("a:65535").origin.port, 65535);
  EXPECT_NE(refusal("a:65536").find("65535"), std::string::npos);
  for (const char* text :
       {"a:0", "a:-1", "a:+1", "a:1x", "a:x", "a:99999999999999999999", "a:1:2", "[::1]:x"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(Url, OtherSchemesAreNamed) {
  EXPECT_NE(refusal("ftp://a/").find("'ftp'"), std::string::npos);
  EXPECT_NE(refusal("localhost:/foo").find("'localhost'"), std::string::npos);
  EXPECT_NE(refusal("http2://a/").find("'http2'"), std::string::npos);
}

TEST(Url, WhatNoUrlHasIsRefusedWithAReason) {
  EXPECT_NE(refusal("http://a/b c").find("%20"), std::string::npos);
  EXPECT_NE(refusal("http://a/\t").find("control"), std::string::npos);
  EXPECT_NE(refusal("http://a/\r\nX: y").find("control"), std::string::npos);
  EXPECT_NE(refusal(std::string("http://a/\0", 10)).find("control"), std::string::npos);
  EXPECT_NE(refusal("http://a/\x7f").find("control"), std::string::npos);
  EXPECT_NE(refusal("http://a/\xc3\xa4").find("ASCII"), std::string::npos);
  EXPECT_NE(refusal("http://b\xc3\xbc"
                    "cher.example/")
                .find("Punycode"),
            std::string::npos);
  EXPECT_LT(refusal("http://a b/" + std::string(10'000, 'x')).size(), 200U);
}

TEST(Url, PrintableCharactersThatStandUnescapedInNoUrlAreEscaped) {
  EXPECT_EQ(parsed("http://a/x?f[a]=1&j={\"k\":\"v|w\"}").target,
            "/x?f%5Ba%5D=1&j=%7B%22k%22:%22v%7Cw%22%7D");
  EXPECT_EQ(parsed("http://a/<^`\\>").target, "/%3C%5E%60%5C%3E");
  EXPECT_EQ(parsed("http://a/100%").target, "/100%25");
  EXPECT_EQ(parsed("http://a/%zz%4").target, "/%25zz%254");
  EXPECT_EQ(parsed("http://a/%7e%2F%2e").target, "/%7e%2F%2e") << "triplets are the user's";
  EXPECT_EQ(parsed("http://a/!$&'()*+,;=:@-._~?!$&'()*+,;=:@/?").target,
            "/!$&'()*+,;=:@-._~?!$&'()*+,;=:@/?");
}

TEST(Url, DotSegmentsAreRemovedFromThePathOnly) {
  EXPECT_EQ(parsed("http://a/b/../c/./d").target, "/c/d");
  EXPECT_EQ(parsed("http://a/../../b").target, "/b");
  EXPECT_EQ(parsed("http://a/b/..").target, "/");
  EXPECT_EQ(parsed("http://a/b/.").target, "/b/");
  EXPECT_EQ(parsed("http://a/b/../").target, "/");
  EXPECT_EQ(parsed("http://a//b/../c//").target, "//c//");
  EXPECT_EQ(parsed("http://a/...").target, "/...");
  EXPECT_EQ(parsed("http://a/b?c/../d").target, "/b?c/../d");
}

// RFC 3986 5.4, with the references that have no other scheme.
TEST(Location, IsResolvedAsTheRfcsExamplesAre) {
  const char* const base = "http://a/b/c/d;p?q";
  const std::pair<const char*, const char*> cases[] = {
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g/"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
  };
  for (const auto& [reference, want] : cases) EXPECT_EQ(resolved(base, reference), want) << reference;
}

TEST(Location, WithASchemeOrAHostReplacesTheOrigin) {
  EXPECT_EQ(resolved("https://a:1/x", "//b/y"), "https://b/y");
  EXPECT_EQ(resolved("http://a:1/x", "HTTPS://B:2?q"), "https://b:2/?q");
  EXPECT_EQ(resolved("https://a:1/x", "/y"), "https://a:1/y");
  EXPECT_EQ(resolved("http://a", "b"), "http://a/b");
  EXPECT_EQ(resolved("http://a?q=/x/", "b"), "http://a/b");
}

TEST(Location, CredentialsStayWithTheHostTheyWereWrittenFor) {
  const Url base = parsed("http://u:p@a/x");
  EXPECT_EQ(resolve_url(base, "/y")->user, "u");
  EXPECT_FALSE(resolve_url(base, "http://a/y")->has_credentials);
  EXPECT_FALSE(resolve_url(base, "//b/y")->has_credentials);
  EXPECT_EQ(resolve_url(base, "http://v:w@b/y")->password, "w");
}

TEST(Location, InheritsAFragment) {
  EXPECT_EQ(resolved("http://a/x#f", "/y"), "http://a/y#f");
  EXPECT_EQ(resolved("http://a/x#f", "http://b/y"), "http://b/y#f");
  EXPECT_EQ(resolved("http://a/x#f", "/y#g"), "http://a/y#g");
  EXPECT_EQ(resolved("http://a/x#f", "/y#"), "http://a/y");
}

TEST(Location, IsReadAsServersReallySendIt) {
  EXPECT_EQ(resolved("http://a/", "/b c?d e"), "http://a/b%20c?d+e");
  EXPECT_EQ(resolved("http://a/", "  /b \t"), "http://a/b");
  EXPECT_EQ(resolved("http://a/", "/\xc3\xa4?\xff"), "http://a/%C3%A4?%FF");
  EXPECT_EQ(resolved("http://a/", "http://b/c d"), "http://b/c%20d");
  EXPECT_EQ(resolved("http://a/", "/x|y"), "http://a/x%7Cy");
}

TEST(Location, ThatLeadsNowhereIsAnError) {
  for (const char* reference :
       {"ftp://b/", "javascript:alert(1)", "file:///etc/passwd", "http://", "//", "///x:y:z",
        "http://b:99999/", "/a\x01", "http://b c/", "http://\xc3\xa4/", "http:b"}) {
    const auto url = resolve_url(parsed("http://a/"), reference);
    EXPECT_FALSE(url) << reference;
  }
}

}  // namespace
}  // namespace h2park::client
