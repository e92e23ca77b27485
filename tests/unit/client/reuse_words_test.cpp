#include "client/failure.hpp"
#include "client/reuse.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace h2park::client {
namespace {

const std::regex kWord("[a-z][a-z0-9_]*");

// Every value of an enumeration but the first has a word of its own that JSON and scripts can use.
template <class Enum>
void want_words(std::size_t count) {
  std::set<std::string_view> words;
  for (std::size_t i = 1; i < count; ++i) {
    const std::string_view word = to_string(static_cast<Enum>(i));
    EXPECT_TRUE(std::regex_match(std::string(word), kWord)) << i << " '" << word << "'";
    EXPECT_TRUE(words.insert(word).second) << word << " twice";
  }
}

TEST(ReuseWords, EveryCloseReasonHasAWord) {
  want_words<CloseReason>(kCloseReasons);
  EXPECT_EQ(to_string(CloseReason::kNone), "");
  EXPECT_EQ(to_string(CloseReason::kHttp10), "http10");
  EXPECT_EQ(to_string(CloseReason::kDone), "done");
}

TEST(ReuseWords, EveryDrainResultHasAWord) {
  want_words<DrainResult>(kDrainResults);
  EXPECT_EQ(to_string(DrainResult::kNone), "");
  EXPECT_EQ(to_string(DrainResult::kComplete), "complete");
  EXPECT_EQ(to_string(DrainResult::kFailed), "failed");
}

TEST(ReuseWords, AMissOfAClosedConnectionIsNamedAfterItsEnd) {
  EXPECT_EQ(to_string(MissReason{MissReason::Kind::kClosed, CloseReason::kOverLimit}), "over_limit");
  EXPECT_EQ(to_string(MissReason{}), "");
  EXPECT_EQ(to_string(MissReason{MissReason::Kind::kFirst}), "first");
  EXPECT_EQ(to_string(MissReason{MissReason::Kind::kBusy}), "busy");
  EXPECT_EQ(to_string(MissReason{MissReason::Kind::kDraining}), "draining");
  EXPECT_EQ(to_string(MissReason{MissReason::Kind::kStale}), "stale");
}

TEST(Failures, HaveCurlsExitCodes) {
  EXPECT_EQ(exit_code(FailureKind::kBadUrl), 3);
  EXPECT_EQ(exit_code(FailureKind::kResolveProxy), 5);
  EXPECT_EQ(exit_code(FailureKind::kResolve), 6);
  EXPECT_EQ(exit_code(FailureKind::kConnect), 7);
  EXPECT_EQ(exit_code(FailureKind::kBadResponse), 8);
  EXPECT_EQ(exit_code(FailureKind::kCutShort), 18);
  EXPECT_EQ(exit_code(FailureKind::kTimeout), 28);
  EXPECT_EQ(exit_code(FailureKind::kTls), 35);
  EXPECT_EQ(exit_code(FailureKind::kCancelled), 42);
  EXPECT_EQ(exit_code(FailureKind::kRedirects), 47);
  EXPECT_EQ(exit_code(FailureKind::kEmptyReply), 52);
  EXPECT_EQ(exit_code(FailureKind::kSend), 55);
  EXPECT_EQ(exit_code(FailureKind::kReceive), 56);
  EXPECT_EQ(exit_code(FailureKind::kProxyRefused), 56);
  EXPECT_EQ(exit_code(FailureKind::kUntrusted), 60);
  EXPECT_EQ(exit_code(FailureKind::kDecoding), 61);
}

TEST(Failures, EachHasAWord) {
  want_words<FailureKind>(static_cast<std::size_t>(FailureKind::kCancelled) + 1);
  EXPECT_EQ(to_string(FailureKind::kBadUrl), "bad_url");
}

}  // namespace
}  // namespace h2park::client
