#include "client/proxy.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace h2park::client {
namespace {

using Environment = std::map<std::string, std::string, std::less<>>;

Result<ProxySettings> settings_of(const Environment& environment) {
  return ProxySettings::from_environment([&](std::string_view name) -> std::optional<std::string> {
    const auto it = environment.find(name);
    return it == environment.end() ? std::nullopt : std::optional(it->second);
  });
}

// The proxy that `url` goes through, or "direct".
std::string way(const Environment& environment, std::string_view url) {
  const auto settings = settings_of(environment);
  if (!settings) return "error: " + settings.error().message;
  const Proxy* proxy = settings->find(parse_url(url)->origin);
  return proxy == nullptr ? "direct" : proxy->origin.text();
}

bool is_direct(std::string_view no_proxy, std::string_view url) {
  return way({{"http_proxy", "p:1"}, {"https_proxy", "p:1"}, {"no_proxy", std::string(no_proxy)}}, url) ==
         "direct";
}

TEST(Proxy, IsNoneWithoutVariables) {
  EXPECT_EQ(way({}, "http://a/"), "direct");
  EXPECT_EQ(ProxySettings().find(Origin{}), nullptr);
}

TEST(Proxy, EachSchemeHasItsVariable) {
  const Environment both{{"http_proxy", "http://p1:81"}, {"https_proxy", "http://p2:82"}};
  EXPECT_EQ(way(both, "http://a/"), "http://p1:81");
  EXPECT_EQ(way(both, "https://a/"), "http://p2:82");
  EXPECT_EQ(way({{"http_proxy", "p:1"}}, "https://a/"), "direct");
  EXPECT_EQ(way({{"https_proxy", "p:1"}}, "http://a/"), "direct");
}

TEST(Proxy, AllProxyIsForWhatHasNoneOfItsOwn) {
  const Environment environment{{"all_proxy", "http://all:1"}, {"https_proxy", "http://own:2"}};
  EXPECT_EQ(way(environment, "http://a/"), "http://all:1");
  EXPECT_EQ(way(environment, "https://a/"), "http://own:2");
}

TEST(Proxy, HttpProxyIsReadInLowerCaseOnly) {
  EXPECT_EQ(way({{"HTTP_PROXY", "http://evil:1"}}, "http://a/"), "direct");
  EXPECT_EQ(way({{"HTTPS_PROXY", "http://p:1"}}, "https://a/"), "http://p:1");
  EXPECT_EQ(way({{"ALL_PROXY", "http://p:1"}}, "http://a/"), "http://p:1");
  EXPECT_EQ(way({{"HTTPS_PROXY", "http://p:1"}, {"https_proxy", "http://q:1"}}, "https://a/"), "http://q:1");
  EXPECT_EQ(way({{"http_proxy", "http://p:1"}, {"NO_PROXY", "a"}}, "http://a/"), "direct");
  EXPECT_EQ(way({{"http_proxy", "http://p:1"}, {"NO_PROXY", "a"}, {"no_proxy", "b"}}, "http://a/"),
            "http://p:1");
}

TEST(Proxy, AnEmptyVariableIsNone) {
  EXPECT_EQ(way({{"http_proxy", ""}}, "http://a/"), "direct");
  EXPECT_EQ(way({{"http_proxy", ""}, {"all_proxy", "p:1"}}, "http://a/"), "http://p:1");
  EXPECT_EQ(way({{"http_proxy", "p:1"}, {"no_proxy", ""}, {"NO_PROXY", "a"}}, "http://a/"), "direct");
}

TEST(Proxy, WithoutASchemeIsHttpAndWithoutAPortHas1080) {
  EXPECT_EQ(way({{"http_proxy", "p"}}, "http://a/"), "http://p:1080");
  EXPECT_EQ(way({{"http_proxy", "http://p"}}, "http://a/"), "http://p:1080");
  EXPECT_EQ(way({{"http_proxy", "http://p/"}}, "http://a/"), "http://p:1080");
  EXPECT_EQ(way({{"http_proxy", "HTTP://p:80/path"}}, "http://a/"), "http://p");
  EXPECT_EQ(way({{"http_proxy", "http://p:443"}}, "http://a/"), "http://p:443");
  EXPECT_EQ(way({{"http_proxy", "[::1]"}}, "http://a/"), "http://[::1]:1080");
  EXPECT_EQ(way({{"http_proxy", "u:p@[::1]:3128"}}, "http://a/"), "http://[::1]:3128");
}

TEST(Proxy, CredentialsBecomeAField) {
  const auto settings =
      settings_of({{"http_proxy", "http://Aladdin:open%20sesame@p:1"}, {"https_proxy", "p:1"}});
  EXPECT_EQ(settings->find(parse_url("http://a/")->origin)->authorization,
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(settings->find(parse_url("https://a/")->origin)->authorization, "");
}

TEST(Proxy, AnErrorNamesTheVariableAndKeepsThePassword) {
  for (const char* value : {"http://u:secret@p:99999", "http://u:secret@", "socks5://u:secret@p:1",
                            "https://u:secret@p:1", "http://u:secret@a b"}) {
    const auto settings = settings_of({{"ALL_PROXY", value}});
    ASSERT_FALSE(settings) << value;
    EXPECT_EQ(settings.error().exit, Error::Exit::kUsage);
    EXPECT_TRUE(settings.error().message.starts_with("ALL_PROXY: ")) << settings.error().message;
    EXPECT_EQ(settings.error().message.find("secret"), std::string::npos);
  }
  EXPECT_NE(settings_of({{"http_proxy", "socks5://p"}}).error().message.find("'socks5'"), std::string::npos);
}

TEST(NoProxy, AnAsteriskIsEveryHost) {
  EXPECT_TRUE(is_direct("*", "http://a/"));
  EXPECT_TRUE(is_direct("*", "https://[::1]/"));
  EXPECT_TRUE(is_direct("b, *", "http://10.0.0.1/"));
}

TEST(NoProxy, ADomainIsItselfAndAllBelowIt) {
  for (const char* entry : {"local.com", ".local.com", "LOCAL.com", "local.com.", "*.local.com"}) {
    EXPECT_TRUE(is_direct(entry, "http://local.com/")) << entry;
    EXPECT_TRUE(is_direct(entry, "http://local.com:80/")) << entry;
    EXPECT_TRUE(is_direct(entry, "http://local.com:8080/")) << entry;
    EXPECT_TRUE(is_direct(entry, "http://www.local.com/")) << entry;
    EXPECT_TRUE(is_direct(entry, "https://a.b.LOCAL.com./")) << entry;
    EXPECT_FALSE(is_direct(entry, "http://www.notlocal.com/")) << entry;
    EXPECT_FALSE(is_direct(entry, "http://local.com.evil/")) << entry;
    EXPECT_FALSE(is_direct(entry, "http://com/")) << entry;
  }
}

TEST(NoProxy, EntriesStandBetweenCommasAndSpaces) {
  for (const char* list : {"a,b,c", "a b c", " ,a ,, b\t,c, ", "c b a"}) {
    for (const char* url : {"http://a/", "http://b/", "http://c/"}) EXPECT_TRUE(is_direct(list, url)) << list;
    EXPECT_FALSE(is_direct(list, "http://d/")) << list;
  }
}

TEST(NoProxy, APortNarrowsAnEntry) {
  EXPECT_TRUE(is_direct("a:8080", "http://a:8080/"));
  EXPECT_TRUE(is_direct("a:443", "https://a/"));
  EXPECT_FALSE(is_direct("a:8080", "http://a/"));
  EXPECT_TRUE(is_direct("[::1]:8080", "http://[::1]:8080/"));
  EXPECT_FALSE(is_direct("[::1]:8080", "http://[::1]/"));
  EXPECT_TRUE(is_direct("127.0.0.1:81", "http://127.0.0.1:81/"));
  EXPECT_FALSE(is_direct("127.0.0.1:81", "http://127.0.0.1/"));
  EXPECT_FALSE(is_direct("a:x", "http://a/"));
}

TEST(NoProxy, AddressesAreComparedAsAddresses) {
  EXPECT_TRUE(is_direct("127.0.0.1", "http://127.1/"));
  EXPECT_FALSE(is_direct("127.0.0.1", "http://127.0.0.2/"));
  EXPECT_FALSE(is_direct("0.0.1", "http://127.0.0.1/")) << "an address has no suffixes";
  EXPECT_TRUE(is_direct("0:0::1", "http://[::1]/"));
  EXPECT_TRUE(is_direct("[::1]", "http://[::1]:8080/"));
  EXPECT_TRUE(is_direct("fe80::1", "http://[fe80::1%25lo]/"));
  EXPECT_FALSE(is_direct("::2", "http://[::1]/"));
  EXPECT_FALSE(is_direct("1", "http://127.0.0.1/"));
}

TEST(NoProxy, ABlockIsItsNetwork) {
  EXPECT_TRUE(is_direct("192.168.0.0/16", "http://192.168.255.1/"));
  EXPECT_FALSE(is_direct("192.168.0.0/16", "http://192.169.0.1/"));
  EXPECT_TRUE(is_direct("10.0.0.128/25", "http://10.0.0.200/"));
  EXPECT_FALSE(is_direct("10.0.0.128/25", "http://10.0.0.127/"));
  EXPECT_TRUE(is_direct("10.0.0.1/32", "http://10.0.0.1/"));
  EXPECT_FALSE(is_direct("10.0.0.1/32", "http://10.0.0.0/"));
  EXPECT_TRUE(is_direct("0.0.0.0/0", "http://8.8.8.8/"));
  EXPECT_FALSE(is_direct("0.0.0.0/0", "http://[::1]/"));
  EXPECT_TRUE(is_direct("2001:db8::/33", "http://[2001:db8:7fff::1]/"));
  EXPECT_FALSE(is_direct("2001:db8::/33", "http://[2001:db8:8000::1]/"));
  EXPECT_TRUE(is_direct("::1/128", "http://[::1]/"));
  for (const char* bad : {"10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "10.0.0.0/-1", "::/129", "a/8"}) {
    EXPECT_FALSE(is_direct(bad, "http://10.0.0.0/")) << bad;
  }
}

TEST(NoProxy, WhatIsNoEntryMatchesNothing) {
  for (const char* list : {".", ",", "", "  ", "[", "[]", "*.", ":80"}) {
    EXPECT_FALSE(is_direct(list, "http://a/")) << list;
    EXPECT_FALSE(is_direct(list, "http://127.0.0.1/")) << list;
  }
}

}  // namespace
}  // namespace h2park::client
