#include "http/fields.hpp"

#include <gtest/gtest.h>

#include <string>

namespace h2park::http {
namespace {

std::string text(const Fields& fields) {
  std::string out;
  for (const Field field : fields) out.append(field.name).append("=").append(field.value).append(";");
  return out;
}

TEST(Fields, KeepTheirOrder) {
  Fields fields;
  fields.add("b", "1");
  fields.add("a", "2");
  fields.add("b", "");
  EXPECT_EQ(text(fields), "b=1;a=2;b=;");
  EXPECT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[1].name, "a");
}

TEST(Fields, FindTheFirstOfAName) {
  Fields fields;
  fields.add("x", "1");
  fields.add("x", "2");
  EXPECT_EQ(fields.find("x"), "1");
  EXPECT_EQ(fields.find("y"), std::nullopt);
  EXPECT_EQ(fields.count("x"), 2u);
  EXPECT_EQ(fields.count("y"), 0u);
}

TEST(Fields, SetReplacesEveryFieldOfTheName) {
  Fields fields;
  fields.add("x", "1");
  fields.add("y", "2");
  fields.add("x", "3");
  fields.set("x", "4");
  EXPECT_EQ(text(fields), "y=2;x=4;");
}

TEST(Fields, ChargeNameValueAnd32Each) {
  Fields fields;
  EXPECT_EQ(fields.charged_bytes(), 0u);
  fields.add("host", "a");
  fields.add("x", "");
  EXPECT_EQ(fields.charged_bytes(), 37u + 33u);
  fields.remove("host");
  EXPECT_EQ(fields.charged_bytes(), 33u);
  fields.clear();
  EXPECT_TRUE(fields.empty());
  EXPECT_EQ(fields.charged_bytes(), 0u);
  fields.add("host", "a");
  EXPECT_EQ(fields.charged_bytes(), 37u);
}

TEST(Fields, HaveATokenInAnyListOfAnyField) {
  Fields fields;
  fields.add("connection", " Keep-Alive ,\tFoo");
  fields.add("connection", ",, close");
  EXPECT_TRUE(fields.has_token("connection", "keep-alive"));
  EXPECT_TRUE(fields.has_token("connection", "foo"));
  EXPECT_TRUE(fields.has_token("connection", "CLOSE"));
  EXPECT_FALSE(fields.has_token("connection", "keep"));
  EXPECT_FALSE(fields.has_token("te", "close"));
}

TEST(Fields, LiveInTheMemoryTheyWereGiven) {
  std::array<std::byte, 4096> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size(), std::pmr::null_memory_resource());
  Fields fields(&memory);
  fields.reserve(4, 200);
  for (int i = 0; i < 4; ++i) fields.add("name", std::string(40, 'v'));
  EXPECT_EQ(fields.size(), 4u);
}

}  // namespace
}  // namespace h2park::http
