#include "cmd/get_manual.hpp"

#include "base/error.hpp"
#include "client/failure.hpp"
#include "client/reuse.hpp"
#include "cmd/get_variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace h2park::cmd {
namespace {

std::multiset<std::string> terms_of(std::string_view title) {
  std::multiset<std::string> terms;
  for (const Section& section : get_manual()) {
    if (section.title != title) continue;
    for (const Text& row : section.rows) {
      EXPECT_FALSE(row.term.empty()) << title;
      EXPECT_TRUE(row.meaning.ends_with('.')) << row.term;
      terms.insert(row.term);
    }
  }
  return terms;
}

TEST(GetManual, ExplainsEveryWordOfReuse) {
  const auto terms = terms_of("Reuse");
  for (std::size_t i = 1; i < client::kCloseReasons; ++i) {
    EXPECT_EQ(terms.count(std::string(to_string(static_cast<client::CloseReason>(i)))), 1U) << i;
  }
  using Kind = client::MissReason::Kind;
  for (const Kind kind : {Kind::kFirst, Kind::kBusy, Kind::kDraining, Kind::kStale}) {
    EXPECT_EQ(terms.count(std::string(to_string(client::MissReason{kind, client::CloseReason::kNone}))), 1U);
  }
}

TEST(GetManual, ExplainsEveryDrainResult) {
  const auto terms = terms_of("Drain results");
  for (std::size_t i = 1; i < client::kDrainResults; ++i) {
    EXPECT_EQ(terms.count(std::string(to_string(static_cast<client::DrainResult>(i)))), 1U) << i;
  }
}

TEST(GetManual, ExplainsEveryVariable) {
  const auto terms = terms_of("Write out");
  for (const VariableSpec& variable : variables()) EXPECT_EQ(terms.count(std::string(variable.name)), 1U);
}

TEST(GetManual, ExplainsEveryExitCode) {
  const std::vector<Text> codes = get_exit_codes();
  for (int i = 0; i <= static_cast<int>(client::FailureKind::kCancelled); ++i) {
    const auto kind = static_cast<client::FailureKind>(i);
    const std::string code = std::to_string(client::exit_code(kind));
    const auto row = std::ranges::find(codes, code, &Text::term);
    ASSERT_NE(row, codes.end()) << code;
    EXPECT_NE(row->meaning.find(std::string(to_string(kind)) + ": "), std::string::npos) << code;
  }
  for (const Error::Exit exit :
       {Error::Exit::kFailure, Error::Exit::kUsage, Error::Exit::kBadUrl, Error::Exit::kNotInstalled,
        Error::Exit::kWriteFailed, Error::Exit::kReadFailed, Error::Exit::kBadCertificate,
        Error::Exit::kBadTrustAnchors}) {
    EXPECT_NE(std::ranges::find(codes, std::to_string(static_cast<int>(exit)), &Text::term), codes.end());
  }
}

}  // namespace
}  // namespace h2park::cmd
